import { join } from 'node:path';
import { repositoryFolder } from '@multi-drm/local/repository';
import { allServers, findSuites, modestFolders, neededServers } from './needed-servers';

test('suites of packages without servers need none, those of playback need Redis, and all others need all', () => {
  const contracts = 'packages/contracts/src/problems/problem.test.ts';
  const playback = 'services/playback/src/access/authorize.test.ts';
  expect(neededServers([contracts])).toEqual({ postgres: false, redis: false });
  expect(neededServers([contracts, playback])).toEqual({ postgres: false, redis: true });
  expect(neededServers([playback, 'infra/e2e/main-job.test.ts'])).toEqual(allServers);
});

test.each(modestFolders)('the folder %s, which does not need all servers, has suites', (folder) => {
  expect(findSuites([join(repositoryFolder, folder)])).not.toEqual([]);
});

test('suites are found in all folders except in dependencies', () => {
  const found = findSuites([join(repositoryFolder, 'infra')]);
  expect(found).toContain('infra/test-kit/src/jest/needed-servers.test.ts');
  expect(found.filter((suite) => suite.includes('node_modules'))).toEqual([]);
});
