import { askRedis } from '../redis-server';

test('the cluster of the run has three nodes that hold all hash slots and send clients to each other', async () => {
  const { port } = new URL(process.env.TEST_REDIS_CLUSTER_URL ?? '');
  const ask = (command: string) => askRedis(Number(port), [command]);
  expect(await ask('CLUSTER INFO')).toMatch(/cluster_state:ok\r\ncluster_slots_assigned:16384\r\n/);
  expect((await ask('CLUSTER NODES')).match(/master - .* connected \d+-\d+$/gm)).toHaveLength(3);
  // Of "foo" by the cluster specification: 12182, which is the last node's.
  expect(await ask('GET foo')).toMatch(/^-MOVED 12182 127\.0\.0\.1:\d+\r\n/);
});
