import { type ChildProcess, execFile, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import {
  cloneDatabase,
  documentedSettings,
  findFreePort,
  observedProcess,
  startRedis,
  type TestDatabase,
  type TestRedis,
} from '@multi-drm/test-kit';
import { composeServices, readVariables, root } from './compose-file';

const folder = mkdtempSync(join(tmpdir(), 'compose-'));
const environmentFile = join(folder, '.env');

let database: TestDatabase;
let redis: TestRedis;
const processes: ChildProcess[] = [];

beforeAll(async () => {
  execFileSync(process.execPath, [join(__dirname, 'create-environment.mjs'), environmentFile]);
  [database, redis] = await Promise.all([cloneDatabase(), startRedis()]);
});
afterAll(async () => {
  for (const child of processes.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null)) {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  await Promise.all([database.drop(), redis.stop()]);
  rmSync(folder, { recursive: true });
});

const services = () => composeServices(readVariables(environmentFile));

/** The environment that Compose gives a service, with the tests' addresses, and PATH and the log variables of this process. */
async function environmentOf(name: string): Promise<Record<string, string>> {
  const given = services()[name]?.environment ?? {};
  const addresses: Record<string, string> = {
    // Migrations hold a session lock, so they bypass the pooler.
    DATABASE_URL: name === 'migrations' ? database.directUrl : database.url,
    REDIS_URL: redis.url,
    PORT: String(await findFreePort()),
    METRICS_PORT: String(await findFreePort()),
  };
  return {
    PATH: process.env.PATH ?? '',
    // Of the image.
    NODE_ENV: 'production',
    ...observedProcess.environment,
    ...Object.fromEntries(Object.entries(given).map(([key, value]) => [key, addresses[key] ?? value])),
  };
}

/** Changes a setting of the Redis of the tests. */
async function setOnRedis(setting: string): Promise<void> {
  const { hostname, port } = new URL(redis.url);
  const socket = connect(Number(port), hostname);
  socket.write(`CONFIG SET ${setting}\r\n`);
  const [reply] = await once(socket, 'data');
  socket.destroy();
  expect(String(reply)).toBe('+OK\r\n');
}

/** From source, because a test run builds nothing. */
const programOf = (service: string, file: string) =>
  observedProcess.args(join(root, 'services', service, file.replace(/^dist\/(.*)\.js$/, 'src/$1.ts')));

test('the secrets are readable only by their owner and are never overwritten', () => {
  const before = readVariables(environmentFile);
  expect(statSync(environmentFile).mode & 0o777).toBe(0o600);
  expect(() =>
    execFileSync(process.execPath, [join(__dirname, 'create-environment.mjs'), environmentFile], { stdio: 'pipe' }),
  ).toThrow();
  expect(readVariables(environmentFile)).toEqual(before);
});

test.each([
  ['--help', 0],
  ['--hlep', 2],
])('%s of the script that makes the secrets writes nothing', (argument, status) => {
  const script = join(__dirname, 'create-environment.mjs');
  const empty = mkdtempSync(join(folder, 'empty-'));
  const result = spawnSync(process.execPath, [script, argument], { cwd: empty, encoding: 'utf8' });
  expect(result).toMatchObject({
    status,
    [status === 0 ? 'stdout' : 'stderr']: expect.stringContaining('usage: node'),
  });
  expect(readdirSync(empty)).toEqual([]);
});

test('without its secrets, the Compose file is rejected with the command to run', () => {
  expect(() => composeServices({})).toThrow(/is not set: run node infra\/docker\/create-environment\.mjs/);
});

test('no service in the Compose file can write to its image, gain privileges or run as root', () => {
  const confined = { read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] };
  const everything = Object.entries(services());
  expect(everything.map(([name]) => name)).toEqual(['postgres', 'redis', 'migrations', 'control-plane', 'playback']);
  for (const [name, service] of everything) {
    expect({ name, ...service }).toMatchObject({ name, ...confined });
    expect(Object.keys(service)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^(?:cap_add|privileged)$/)]),
    );
  }
  const { postgres, redis } = services();
  expect([postgres?.user, redis?.user]).toEqual(['postgres', 'redis']);
  for (const service of ['control-plane', 'playback']) {
    const file = readFileSync(join(root, 'infra/docker', `${service}.Dockerfile`), 'utf8');
    expect(file.slice(file.lastIndexOf('FROM '))).toMatch(/^USER node$/m);
  }
});

test('every image has the same version everywhere', () => {
  const files = ['control-plane', 'playback'].map((name) =>
    readFileSync(join(root, 'infra/docker', `${name}.Dockerfile`), 'utf8'),
  );
  const bases = files.flatMap((file) => [...file.matchAll(/^FROM (\S+)/gm)].map(([, image]) => image));
  expect([...new Set(bases)]).toEqual([`node:${readFileSync(join(root, '.nvmrc'), 'utf8').trim()}-bookworm-slim`]);
  const images = [...bases, services().postgres?.image, services().redis?.image];
  for (const image of images) expect(image).toMatch(/^\w+:\d+\.\d+(?:\.\d+)?-[\w-]+(?:@sha256:[0-9a-f]{64})?$/);
});

test('players get a URL that somebody has chosen: that of this machine only from the script, which says so', async () => {
  const { PLAYBACK_PUBLIC_URL: _, ...others } = readVariables(environmentFile);
  expect(() => composeServices(others)).toThrow('PLAYBACK_PUBLIC_URL is not set: set the https URL');
  expect(services().playback?.environment).toMatchObject({
    PLAYBACK_PUBLIC_URL: 'http://localhost:8081',
    ALLOW_INSECURE_PUBLIC_URL: 'true',
  });
  const env = { ...(await environmentOf('playback')), ALLOW_INSECURE_PUBLIC_URL: 'false' };
  const program = programOf('playback', 'dist/main.js');
  const failure = await promisify(execFile)(process.execPath, program, { env }).catch((error: unknown) => error);
  expect(failure).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('PLAYBACK_PUBLIC_URL: must be an https URL'),
  });
});

test.each([
  ['Control plane', 'control-plane'],
  ['Playback', 'playback'],
] as const)('every setting of the documents reaches the service: %s', (name, service) => {
  // Of the image, and of another Redis than that of the file.
  const others = /^(?:NODE_ENV|HOST|LICENSE_TOKEN_KEYS_FILE|REDIS_(?!URL$).*)$/;
  const documented = Object.keys(documentedSettings(name)).filter((setting) => !others.test(setting));
  expect(Object.keys(services()[service]?.environment ?? {}).sort()).toEqual(documented.sort());
});

test('playback and the control plane have the same secret keys', () => {
  const { 'control-plane': controlPlane, playback } = services();
  expect(playback?.environment.SECRET_KEYS).toMatch(/^first:[A-Za-z0-9+/]{43}=$/);
  expect(playback?.environment.SECRET_KEYS).toBe(controlPlane?.environment.SECRET_KEYS);
});

test('the migrations run as a one-off step with their environment from Compose', async () => {
  const [, file = ''] = services().migrations?.command ?? [];
  const env = await environmentOf('migrations');
  const program = programOf('control-plane', file);
  await expect(promisify(execFile)(process.execPath, program, { env, timeout: 30_000 })).resolves.toBeDefined();
});

test.each(['control-plane', 'playback'])(
  '%s starts with exactly its environment from Compose, warns of a Redis that may lose data, its health check calls an existing route, and it serves metrics',
  async (service) => {
    for (const setting of ['maxmemory-policy allkeys-lru', 'appendonly no']) await setOnRedis(setting);
    const env = await environmentOf(service);
    const [, , , healthCheck = ''] = services()[service]?.healthcheck?.test ?? [];
    const child = spawn(process.execPath, programOf(service, 'dist/main.js'), { env, stdio: 'pipe' });
    processes.push(child);
    const log = text(child.stdout);
    const inside = services()[service]?.environment.PORT ?? '';
    const probe = healthCheck.replace(`127.0.0.1:${inside}/`, `127.0.0.1:${env.PORT}/`);
    expect(probe).not.toBe(healthCheck);
    for (;;) {
      expect(child.exitCode).toBeNull();
      const check = spawn(process.execPath, ['-e', probe]);
      const [code] = await once(check, 'exit');
      if (code === 0) break;
      await delay(100);
    }
    const metrics = await fetch(`http://127.0.0.1:${env.METRICS_PORT}/metrics`);
    expect(metrics.status).toBe(200);
    for (const setting of ['maxmemory-policy noeviction', 'appendonly yes']) await setOnRedis(setting);
    child.kill('SIGKILL');
    const lines = (await log).split('\n').filter((line) => line.includes('"level":"warn"'));
    const warnings = lines.map((line) => JSON.parse(line).message);
    // A busy machine may let Redis answer too late.
    expect(warnings.filter((message) => message !== 'Redis is unreachable').sort()).toEqual([
      'Redis loses data when it restarts: set appendonly to yes',
      'Redis may drop data: set maxmemory-policy to noeviction',
    ]);
  },
  60_000,
);

test.each(['control-plane', 'playback'])(
  '%s does not start with a node of a Redis Cluster as its only Redis, and logs why',
  async (service) => {
    const env = { ...(await environmentOf(service)), REDIS_URL: process.env.TEST_REDIS_CLUSTER_URL };
    const program = programOf(service, 'dist/main.js');
    const failure: unknown = await promisify(execFile)(process.execPath, program, { env, timeout: 30_000 }).catch(
      (error: unknown) => error,
    );
    const stdout = expect.stringContaining('REDIS_URL: is a node of a Redis Cluster; use REDIS_CLUSTER');
    expect(failure).toMatchObject({ code: 1, stdout });
  },
  40_000,
);
