import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryFolder } from '@multi-drm/local/repository';
import longest from './longest-suites.json';

test.each(longest)('%s, which is started early, has not moved', (suite) => {
  expect(existsSync(join(repositoryFolder, suite))).toBe(true);
});
