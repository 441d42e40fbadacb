import { compareServers } from './compare-servers';
import { operations } from './contender';

test('the comparison of servers gets the expected answers of every operation from each server', async () => {
  // Few at a time, because a process refuses calls that wait for too long, and the first calls are slow.
  const extent = { connections: 2, rounds: 1, warmUp: 1, count: 10 };
  const results = await compareServers({ extent, operations, print: () => undefined });
  const names = Object.entries(results).map(([operation, each]) => [operation, each.map(({ name }) => name)]);
  const withSessions = ['multi-drm', 'multi-drm, unknown token', 'floor'];
  expect(Object.fromEntries(names)).toEqual({
    create: ['multi-drm', 'floor', 'oidc-provider'],
    renew: withSessions,
    license: withSessions,
    release: withSessions,
  });
});
