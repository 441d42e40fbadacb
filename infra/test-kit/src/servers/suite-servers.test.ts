import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runOnDatabase } from '@multi-drm/local/databases';
import { askRedis } from '@multi-drm/local/redis-server';
import { cloneDatabase, startRedis } from './suite-servers';

test('a cloned database has the schema and its own rows', async () => {
  const [one, other] = await Promise.all([cloneDatabase(), cloneDatabase()]);
  const tables = 'SELECT count(*)::int AS count FROM pg_tables WHERE schemaname = current_schema()';
  const [found] = await runOnDatabase<{ count: number }>(one.url, tables);
  expect(found?.count).toBeGreaterThan(1);
  await runOnDatabase(one.url, 'CREATE TABLE own (id int)');
  await expect(runOnDatabase(other.url, 'SELECT FROM own')).rejects.toThrow('does not exist');
  await Promise.all([one.drop(), other.drop()]);
  await expect(runOnDatabase(one.url, 'SELECT')).rejects.toThrow('does not exist');
});

test("a suite's own Redis can be stopped and restarted on the same port", async () => {
  const redis = await startRedis();
  const { pid } = redis.process;
  await redis.stop();
  expect(redis.process.exitCode ?? redis.process.signalCode).not.toBeNull();
  await redis.start();
  expect(redis.process.pid).not.toBe(pid);
  await redis.stop();
});

/** The contents of the files in a folder whose path matches. */
const kept = (folder: string, pattern: RegExp) => {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => pattern.test(file));
  return files.map((file) => readFileSync(join(folder, file), 'utf8'));
};

test("the rows of a database are kept in the run's folder after it is dropped", async () => {
  const { url, drop } = await cloneDatabase();
  await runOnDatabase(url, 'CREATE TABLE own (note text)');
  await runOnDatabase(url, "INSERT INTO own VALUES ('kept for the search')");
  await runOnDatabase(url, 'CREATE TABLE daily (day int) PARTITION BY LIST (day)');
  await runOnDatabase(url, 'CREATE TABLE daily_1 PARTITION OF daily FOR VALUES IN (1)');
  await runOnDatabase(url, 'INSERT INTO daily VALUES (1)');
  await drop();
  const databases = join(process.env.TEST_FOLDER ?? '', 'databases');
  const dumps = kept(databases, /./).filter((text) => text.includes('kept for the search'));
  expect(dumps).toEqual([expect.stringMatching(/^public\.own\t\{"note":"kept for the search"\}$/m)]);
  expect(dumps).toEqual([expect.stringMatching(/^public\.daily\t\{"day":1\}$/m)]);
});

test('writes to a Redis are kept after they are deleted, and after a start without the data', async () => {
  const redis = await startRedis();
  const [folder = ''] = /\/.+/.exec(await askRedis(redis.port, ['CONFIG GET dir'])) ?? [];
  await askRedis(redis.port, ['SET note kept-for-the-search', 'FLUSHALL', 'SET note gone']);
  await redis.stop();
  await redis.start();
  expect(await askRedis(redis.port, ['GET note'])).toMatch(/^\$-1/);
  await askRedis(redis.port, ['SET note as-well-for-the-search']);
  await redis.stop();
  const writes = kept(folder, /\.incr\.aof$/).join('');
  expect(writes).toContain('kept-for-the-search');
  expect(writes).toContain('as-well-for-the-search');
});
