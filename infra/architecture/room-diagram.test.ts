import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { importsOf } from './imports';
import { drawRooms } from './room-diagram';

const root = join(__dirname, '../..');
const imports = importsOf(root, ['services']);
const architecture = readFileSync(join(root, 'docs/architecture.md'), 'utf8');

test.each(['control-plane', 'playback'])(
  'the rooms of %s are drawn in the architecture document as they are',
  (service) => {
    expect(architecture).toContain(drawRooms(service, imports));
  },
);

test('an arrow that follows from others, and those of tests, are not drawn', () => {
  const drawn = drawRooms('playback', [
    { file: 'services/playback/src/main.ts', imported: 'services/playback/src/routes/a' },
    { file: 'services/playback/src/routes/a.ts', imported: 'services/playback/src/catalog/c' },
    { file: 'services/playback/src/main.ts', imported: 'services/playback/src/catalog/c' },
    { file: 'services/playback/src/catalog/c.test.ts', imported: 'services/playback/src/routes/a' },
    { file: 'services/playback/src/catalog/c.ts', imported: 'services/playback/src/settings' },
  ]);
  expect(drawn.split('\n')).toEqual([
    '    playback_main["main, app and other files of src"] --> playback_routes["routes/"]',
    '    playback_routes["routes/"] --> playback_catalog["catalog/"]',
  ]);
});
