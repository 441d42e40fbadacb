import { startRedisCluster, type TestClusterNode, type TestRedisCluster } from '@multi-drm/test-kit';
import { until } from '@multi-drm/test-kit/servers/until';
import type { Result } from 'ioredis';
import { primariesOf, type RedisClient } from './primaries';
import { isRedisUnavailable } from './redis-errors';
import { connectBoth } from './testing/connections';

let cluster: TestRedisCluster;
let client: RedisClient;
let subscriber: RedisClient;
let logged: string[];

beforeAll(async () => {
  cluster = await startRedisCluster({ secured: true, withReplicas: true });
  ({ client, subscriber, logged } = await connectBoth(cluster.settings));
  client.defineCommand('appendTo', { numberOfKeys: 2, lua: "return redis.call('APPEND', KEYS[1], ARGV[1])" });
});
afterAll(async () => {
  client.disconnect();
  subscriber.disconnect();
  await cluster.stop();
});

declare module 'ioredis' {
  interface RedisCommander<Context> {
    appendTo(key: string, other: string, value: string): Result<number, Context>;
  }
}

/** Resolves when every primary is connected. */
async function allReady(): Promise<void> {
  while (!primariesOf(client).every(({ status }) => status === 'ready')) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Keys of the three primaries; their hash slots are 5061, 9084 and 12182. */
const keys = ['bar', 'one', 'foo'] as const;

test('keys of all primaries are read and written, with encryption, a user and a password', async () => {
  await Promise.all(keys.map((key) => client.set(key, key)));
  expect(await Promise.all(keys.map((key) => client.get(key)))).toEqual(keys);
  const [node] = cluster.nodes;
  expect(await cluster.ask(node as TestClusterNode, 'CLIENT LIST')).toMatch(/ name=test .* user=services /);
});

test('commands of one turn of the event loop to the same primary leave together', async () => {
  await allReady();
  const streams = primariesOf(client).map(({ stream }) => stream);
  const written = streams.map((stream) => jest.spyOn(stream, '_writev' as 'write'));
  const replies = keys.flatMap((key) => [client.set(key, key), client.get(key)]);
  await new Promise(setImmediate);
  expect(written.map(({ mock }) => mock.calls.length)).toEqual([1, 1, 1]);
  expect(await Promise.all(replies)).toEqual(keys.flatMap((key) => ['OK', key]));
});

test('a message reaches the subscriber from every primary', async () => {
  await subscriber.subscribe('news');
  const received = new Set<string>();
  const all = new Promise<void>((resolve) => {
    subscriber.on('message', (_, message: string) => {
      received.add(message);
      if (received.size === keys.length) resolve();
    });
  });
  const publish = "return redis.call('PUBLISH', ARGV[1], KEYS[1])";
  await Promise.all(keys.map((key) => client.eval(publish, 1, key, 'news')));
  await all;
});

/** Not by their order: on a busy machine, a primary that was silent for two seconds has changed places with its replica. */
async function primaryOf(slots: string): Promise<TestClusterNode> {
  for (const node of cluster.nodes) {
    const nodes = await cluster.ask(node, 'CLUSTER NODES');
    if (new RegExp(`^.* myself,master .* ${slots}\\b.*$`, 'm').test(nodes)) return node;
  }
  throw new Error(`no primary has the hash slots ${slots}`);
}
const idOf = async (node: TestClusterNode) => /^([0-9a-f]{40})\r$/m.exec(await cluster.ask(node, 'CLUSTER MYID'))?.[1];
const slot = 12_182;

test('while a slot is migrated, scripts follow its keys; one whose keys are divided fails within a second', async () => {
  const [source, target] = [await primaryOf('10923-16383'), await primaryOf('0-5460')];
  await client.set('{foo}other', '');
  await cluster.ask(target, `CLUSTER SETSLOT ${slot} IMPORTING ${await idOf(source)}`);
  await cluster.ask(source, `CLUSTER SETSLOT ${slot} MIGRATING ${await idOf(target)}`);
  const migrate = (key: string) =>
    cluster.ask(source, `MIGRATE 127.0.0.1 ${target.tlsPort} ${key} 0 5000 AUTH ${cluster.adminPassword}`);
  expect(await client.appendTo('foo', '{foo}other', '-source')).toBe(10);
  expect(await migrate('foo')).toContain('+OK\r\n+OK');
  const since = performance.now();
  const failure = await client.appendTo('foo', '{foo}other', '-never').catch((error: unknown) => error);
  expect(performance.now() - since).toBeLessThan(1_000);
  expect(isRedisUnavailable(failure)).toBe(true);
  // The rest arrives while the command is tried again.
  const waiting = client.appendTo('foo', '{foo}other', '-target');
  await migrate('{foo}other');
  expect(await waiting).toBe(17);
  for (const node of [target, source]) {
    await cluster.ask(node, `CLUSTER SETSLOT ${slot} NODE ${await idOf(target)}`);
  }
  expect(await client.appendTo('foo', '{foo}other', '-moved')).toBe(23);
});

test('after a primary was killed, its replica serves its keys; until then they fail within a second, and others work', async () => {
  await allReady();
  logged.length = 0;
  const failures: unknown[] = [];
  (await primaryOf('5461-10922')).child.process.kill('SIGKILL');
  for (let done = false; !done; ) {
    const since = performance.now();
    done = await client.set('one', 'later').then(
      () => failures.length > 0,
      (error: unknown) => {
        failures.push(error);
        return false;
      },
    );
    expect(performance.now() - since).toBeLessThan(1_000);
    await client.set('foo', 'works');
  }
  expect(failures.every(isRedisUnavailable)).toBe(true);
  await allReady();
  expect(await client.get('one')).toBe('later');
  // Only the last two lines, because on a busy machine an earlier outage may end meanwhile.
  await until(async () => String(logged.slice(-2)) === 'Redis is unreachable,Redis is connected', String(logged));
});

test('a subscriber whose node is killed goes on at another one', async () => {
  const node = cluster.nodes[0] as TestClusterNode;
  const again = new Promise((resolve) => subscriber.once('ready', resolve));
  node.child.process.kill('SIGKILL');
  await again;
  await subscriber.subscribe('news');
});
