import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { publishedKeys } from '@multi-drm/contracts';
import { cloneDatabase, findFreePort, observedProcess, startPostgres, startRedis } from '@multi-drm/test-kit';
import { timesAsMany } from '@multi-drm/test-kit/fuzzing';
import { Redis } from 'ioredis';
import supertest from 'supertest';
import { migrate } from './database/migrate';
import { eventually } from './testing/eventually';
import { newRegistration } from './testing/records';

interface RunningService {
  child: ChildProcess;
  /** The lines of the log. */
  log: { level: string; message: string; error?: { message: string } }[];
  exited: Promise<unknown[]>;
  url: string;
}

const closers: (() => unknown)[] = [];
const outOfReach = { DATABASE_URL: 'postgresql://postgres@127.0.0.1:1/none', REDIS_URL: 'redis://127.0.0.1:1' };

const SECRET_KEYS = `first:${Buffer.alloc(32, 7).toString('base64')}`;

/** Of this suite alone: a control plane publishes the whole deployment again if Redis has another database's. */
let redisUrl: string;

beforeAll(async () => {
  const redis = await startRedis();
  closers.push(() => redis.stop());
  redisUrl = redis.url;
});
afterAll(async () => {
  for (const close of closers.reverse()) await close();
});

/** Starts the service as a separate process. */
async function start(environment: Record<string, string>): Promise<RunningService> {
  const port = String(await findFreePort());
  const program = observedProcess.args(join(__dirname, 'main.ts'));
  const own = { PATH: process.env.PATH, HOST: '127.0.0.1', PORT: port, SHUTDOWN_DELAY_MILLISECONDS: '0' };
  const child = spawn(process.execPath, program, {
    env: { ...observedProcess.environment, ...own, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  closers.push(() => child.kill('SIGKILL'));
  const log: RunningService['log'] = [];
  createInterface(child.stdout).on('line', (line) => log.push(JSON.parse(line)));
  return { child, log, exited: once(child, 'close'), url: `http://127.0.0.1:${port}` };
}

const listening = ({ log }: RunningService) =>
  eventually(async () => expect(log).toContainEqual(expect.objectContaining({ message: 'listening' })), 50_000);

test('metrics are served on a separate port, including the publishing lag', async () => {
  const database = await cloneDatabase();
  closers.push(() => database.drop());
  const METRICS_PORT = String(await findFreePort());
  const service = await start({ DATABASE_URL: database.url, REDIS_URL: redisUrl, METRICS_PORT });
  await listening(service);
  await supertest(service.url).get('/api/v1/plans').expect(200);
  await supertest(service.url).get('/metrics').expect(404);
  const { text } = await supertest(`http://127.0.0.1:${METRICS_PORT}`).get('/metrics').expect(200);
  expect(text).toContain(
    'multi_drm_http_requests_total{method="GET",route="/api/v1/plans",status="200",code="none"} 1\n',
  );
  expect(text).toMatch(/^multi_drm_outbox_entries 0$/m);
  expect(text).toMatch(/^multi_drm_organizations_pending 0$/m);
  expect(text).toMatch(/^multi_drm_event_entries_unread \d+$/m);
  expect(text).toMatch(/^multi_drm_event_partition_days [1-9]$/m);
  expect(text).toMatch(/^multi_drm_usage_minutes_due 0$/m);
  service.child.kill('SIGTERM');
  expect(await service.exited).toEqual([0, null]);
});

test('a registered company is known to playback at once, and SIGTERM ends the process cleanly', async () => {
  const database = await cloneDatabase();
  closers.push(() => database.drop());
  const service = await start({ DATABASE_URL: database.url, REDIS_URL: redisUrl, SECRET_KEYS });
  await listening(service);
  const { body } = await supertest(service.url)
    .post('/api/v1/organizations/registrations')
    .send(newRegistration())
    .expect(201);

  const redis = new Redis(redisUrl);
  closers.push(() => redis.disconnect());
  await eventually(async () =>
    expect(await redis.hget(publishedKeys.organization(body.organizationId), 'document')).not.toBeNull(),
  );
  const before = service.log.length;
  service.child.kill('SIGTERM');
  expect(await service.exited).toEqual([0, null]);
  expect(service.log.filter(({ level }) => level === 'error')).toEqual([]);
  // Before, Redis may have answered too late on a busy machine.
  expect(service.log.slice(before).filter(({ level }) => level === 'warn')).toEqual([]);
});

test('the process starts, runs and ends cleanly while both data stores are unavailable, and logs it once', async () => {
  const service = await start({ ...outOfReach, SECRET_KEYS });
  await listening(service);
  await supertest(service.url).get('/api/v1/health/live').expect(200);
  await supertest(service.url).get('/api/v1/health/ready').expect(503);
  service.child.kill('SIGTERM');
  expect(await service.exited).toEqual([0, null]);
  const warnings = service.log.filter(({ level }) => level === 'warn').map(({ message }) => message);
  expect(warnings.sort()).toEqual([
    'Redis is unreachable',
    'a readiness check fails', // of PostgreSQL and of its schema
    'a readiness check fails',
    'publishing is interrupted',
    'sending webhooks is interrupted',
    'storing events is interrupted',
  ]);
});

test('PostgreSQL crashes and comes back under 32 writers: they get 503 meanwhile, and the process continues', async () => {
  const postgres = await startPostgres();
  closers.push(() => postgres.stop());
  await migrate(postgres.url);
  const service = await start({
    DATABASE_URL: postgres.url,
    REDIS_URL: redisUrl,
    ORGANIZATION_REQUESTS_AT_ONCE: '32',
    ORGANIZATION_REQUESTS_PER_MINUTE: '10000000',
  });
  await listening(service);
  const { organizationId, managementKey } = (
    await supertest(service.url).post('/api/v1/organizations/registrations').send(newRegistration()).expect(201)
  ).body;

  const statuses: number[] = [];
  let writing = true;
  const write = async (): Promise<void> => {
    while (writing) {
      const { status } = await fetch(`${service.url}/api/v1/management/organizations/${organizationId}`, {
        method: 'PATCH',
        headers: {
          Authorization: `Bearer ${managementKey.key}`,
          'Content-Type': 'application/json',
          'If-Match': '*',
        },
        body: JSON.stringify({ website: `https://example.com/${statuses.length}` }),
      });
      statuses.push(status);
    }
  };
  const done = Promise.all(Array.from({ length: 32 }, write));
  const answered = async (status: number) => {
    const from = statuses.length;
    await eventually(async () => expect(statuses.slice(from)).toContain(status), 20_000);
  };
  for (let crash = 0; crash < timesAsMany; crash += 1) {
    await answered(200);
    await Promise.all([postgres.restart(), answered(503)]);
  }
  await answered(200);
  writing = false;
  await done;
  expect([...new Set(statuses)].sort()).toEqual([200, 503]);
  expect(service.child.exitCode).toBeNull();
});

test('the process does not start with invalid settings, and reports all errors', async () => {
  const service = await start({ ...outOfReach, REGISTRATION: 'closed', LOG_LEVEL: 'loud' });
  expect(await service.exited).toEqual([1, null]);
  expect(service.log).toHaveLength(1);
  expect(service.log[0]).toMatchObject({ level: 'error', message: 'start failed' });
  expect(service.log[0]?.error?.message.split('\n')).toEqual([
    'Invalid settings:',
    expect.stringMatching(/^ {2}LOG_LEVEL: /),
    '  REGISTRATION: must be open, approval or paused',
  ]);
});
