import { runOnDatabase } from './databases';
import { cloneDatabase, startRedis } from './index';

// Processes start slowly on a busy machine.
jest.setTimeout(30_000);

test('a cloned database has the schema, and its own rows', async () => {
  const [one, other] = await Promise.all([cloneDatabase(), cloneDatabase()]);
  const tables = "SELECT count(*)::int AS count FROM pg_tables WHERE schemaname = 'public'";
  const [found] = await runOnDatabase<{ count: number }>(one.url, tables);
  expect(found?.count).toBeGreaterThan(1);
  await runOnDatabase(one.url, 'CREATE TABLE own (id int)');
  await expect(runOnDatabase(other.url, 'SELECT FROM own')).rejects.toThrow('does not exist');
  await Promise.all([one.drop(), other.drop()]);
  await expect(runOnDatabase(one.url, 'SELECT')).rejects.toThrow('does not exist');
});

test('a Redis of its own can be stopped and started again on the same port', async () => {
  const redis = await startRedis();
  const { pid } = redis.process;
  await redis.stop();
  expect(redis.process.exitCode ?? redis.process.signalCode).not.toBeNull();
  await redis.start();
  expect(redis.process.pid).not.toBe(pid);
  await redis.stop();
});
