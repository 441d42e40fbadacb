import { askRedis } from '@multi-drm/local/redis-server';

test('the cluster of the run has three nodes with all hash slots, which redirect clients to each other', async () => {
  const { port } = new URL(process.env.TEST_REDIS_CLUSTER_URL ?? '');
  const ask = (command: string) => askRedis(Number(port), [command]);
  expect(await ask('CLUSTER INFO')).toMatch(/cluster_state:ok\r\ncluster_slots_assigned:16384\r\n/);
  expect((await ask('CLUSTER NODES')).match(/master - .* connected \d+-\d+$/gm)).toHaveLength(3);
  // By the cluster specification, "foo" has the hash slot 12182, which belongs to the last node.
  expect(await ask('GET foo')).toMatch(/^-MOVED 12182 127\.0\.0\.1:\d+\r\n/);
});
