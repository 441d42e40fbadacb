import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { foundSeeds, keepSeed } from './found-seeds';

const folder = mkdtempSync(join(tmpdir(), 'found-seeds-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('a seed that found something is stored once, for its operation only', () => {
  expect(foundSeeds('createThing', folder)).toEqual([]);
  keepSeed('createThing', { seed: 1, runs: 20 }, folder);
  keepSeed('createThing', { seed: 2, runs: 20 }, folder);
  keepSeed('createThing', { seed: 1, runs: 10 }, folder);
  expect(foundSeeds('createThing', folder)).toEqual([
    { seed: 1, runs: 20 },
    { seed: 2, runs: 20 },
  ]);
  expect(foundSeeds('changeThing', folder)).toEqual([]);
});
