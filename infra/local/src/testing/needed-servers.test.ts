import { join } from 'node:path';
import { repositoryFolder } from '../repository';
import { allServers, findSuites, neededServers } from './needed-servers';

test('suites of a package that calls no server need none, those of playback a Redis, and all others all', () => {
  const contracts = 'packages/contracts/src/problems/problem.test.ts';
  const playback = 'services/playback/src/access/authorize.test.ts';
  expect(neededServers([contracts])).toEqual({ postgres: false, redis: false });
  expect(neededServers([contracts, playback])).toEqual({ postgres: false, redis: true });
  expect(neededServers([playback, 'infra/e2e/main-job.test.ts'])).toEqual(allServers);
});

test('suites are found wherever they stand, and none of the dependencies', () => {
  const found = findSuites([join(repositoryFolder, 'infra')]);
  expect(found).toContain('infra/local/src/testing/needed-servers.test.ts');
  expect(found.filter((suite) => suite.includes('node_modules'))).toEqual([]);
});
