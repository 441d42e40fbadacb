import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { call } from '@multi-drm/local/http-call';
import { assertPortIsFree, findFreePort } from '@multi-drm/local/ports';
import { readJson } from '@multi-drm/local/private-file';
import { isStillRunning } from '@multi-drm/local/process-identity';
import type { RecordedProcess } from '@multi-drm/local/process-record';
import type { Quickstart } from '@multi-drm/local/quickstart-file';
import { keepDatabase } from '@multi-drm/test-kit/secrets/dump-database';
import { productFromSource } from '@multi-drm/test-kit/services/from-source';

// A start of both services takes seconds. The tests run in order: some continue with the product that the test before has started.
jest.setTimeout(120_000);

let folder: string;
let environment: NodeJS.ProcessEnv;
const runs: Run[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'local-run-'));
  const ports: NodeJS.ProcessEnv = {};
  for (const variable of ['CONTROL_PLANE_PORT', 'PLAYBACK_PORT', 'DEMO_PORT']) {
    ports[variable] = String(await findFreePort());
  }
  // Use the embedded servers, whatever this test run uses, and set a direct URL of another server, which must be ignored.
  const servers = { DATABASE_URL: '', DATABASE_DIRECT_URL: 'postgresql://127.0.0.1:1/none', REDIS_URL: '' };
  environment = { ...process.env, ...ports, LOCAL_DATA_DIR: folder, ...servers };
});
afterAll(async () => {
  await Promise.all(runs.map((run) => run.stop()));
  // For the search at the end of the test run.
  const kept = join(process.env.TEST_FOLDER ?? '', 'local-run');
  for (const part of ['logs', 'redis']) cpSync(join(folder, part), join(kept, part), { recursive: true });
  rmSync(folder, { recursive: true });
});

/** A running `npm start`, from source. */
class Run {
  readonly lines: string[] = [];
  readonly exit: Promise<unknown>;
  private readonly output: AsyncIterator<string>;

  constructor(readonly child: ChildProcess) {
    runs.push(this);
    this.exit = once(child, 'exit');
    if (child.stdout === null) throw new Error('no output');
    this.output = createInterface(child.stdout)[Symbol.asyncIterator]();
  }

  /** Reads until a line matches; fails if the output ends first. */
  async until(pattern: RegExp): Promise<string> {
    for (let next = await this.output.next(); next.done !== true; next = await this.output.next()) {
      this.lines.push(next.value);
      if (pattern.test(next.value)) return next.value;
    }
    throw new Error(`The output ended without ${pattern}:\n${this.lines.join('\n')}`);
  }

  /** Reads to the end of the output and resolves to the exit code. */
  async end(): Promise<number | null> {
    while ((await this.output.next()).done !== true);
    await this.exit;
    return this.child.exitCode;
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    this.child.kill('SIGTERM');
    await this.exit;
  }
}

const program = [process.execPath, ...productFromSource()];

function start(variables: NodeJS.ProcessEnv = {}, [command = '', ...args] = program): Run {
  // Failures go to the same stream as the steps, so that their order is known.
  const child = spawn('sh', ['-c', 'exec "$0" "$@" 2>&1', command, ...args], {
    env: { ...environment, ...variables },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return new Run(child);
}

async function firstOfTwoFreePorts(): Promise<number> {
  for (;;) {
    const port = await findFreePort();
    const isFree = await assertPortIsFree(port + 1, '').then(
      () => true,
      () => false,
    );
    if (isFree) return port;
  }
}

const quickstart = (): Quickstart => readJson(join(folder, 'quickstart.json')) as Quickstart;
const recorded = (): RecordedProcess[] => readJson(join(folder, 'processes.json')) as RecordedProcess[];
const stillRunning = (processes: RecordedProcess[]): RecordedProcess[] =>
  processes.filter(({ pid, identity }) => isStillRunning(pid, identity));

async function createSession(subject: string): Promise<number> {
  const { playbackUrl, environments, apiClient, content } = quickstart();
  const { status } = await call({
    method: 'POST',
    url: `${playbackUrl}/api/v1/playback/environments/${environments.development}/sessions`,
    headers: { 'X-SERVICE-Client-Id': apiClient.clientId, 'X-SERVICE-Client-Secret': apiClient.accessKey },
    json: { ...content, drmSystem: 'widevine', subject, useEnvironmentDefaults: true },
  });
  return status;
}

let run: Run;

test('a start shows the demo steps and becomes ready', async () => {
  const metricsPort = await firstOfTwoFreePorts();
  run = start({ METRICS_PORT: String(metricsPort), REGISTRATION: 'approval' });
  await run.until(/^Ready\./);
  const output = run.lines.join('\n');
  expect(output.match(/^.* is ignored.*$/gm)).toEqual(['REGISTRATION is ignored: npm start sets it itself']);
  expect(output).toMatch(/1\. Registration: POST \S+registrations → 201/);
  expect(output).toMatch(/429 concurrent_stream_limit_reached, limit 2/);
  expect(statSync(join(folder, 'quickstart.json')).mode & 0o777).toBe(0o600);
  const processes = recorded();
  expect(processes.map(({ name }) => name)).toEqual(['PostgreSQL', 'Redis', 'control-plane', 'playback']);
  const { controlPlane, playback } = quickstart().processes;
  expect(processes.map(({ pid }) => pid).slice(2)).toEqual([controlPlane, playback]);
  expect(await createSession('after-ready')).toBe(200);
  const page = await fetch(quickstart().demoUrl);
  expect([page.status, page.headers.get('Content-Type')]).toEqual([200, 'text/html; charset=utf-8']);
  // Each service has its own metrics port.
  expect(output).toContain(`http://127.0.0.1:${metricsPort + 1}/metrics (playback)`);
  const metricsOn = async (port: number) => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  expect(await metricsOn(metricsPort)).toContain('multi_drm_outbox_entries');
  expect(await metricsOn(metricsPort + 1)).not.toContain('multi_drm_outbox_entries');
  const controlPlaneSettings = readFileSync(join(folder, 'control-plane.env'), 'utf8');
  await keepDatabase(/^DATABASE_URL="(.*)"$/m.exec(controlPlaneSettings)?.[1] ?? '');
});

test('if the control plane ends, a message is printed and sessions continue', async () => {
  process.kill(quickstart().processes.controlPlane, 'SIGKILL');
  const line = await run.until(/^control-plane ended \(SIGKILL\)/);
  expect(line).toContain(`node --env-file=${join(folder, 'control-plane.env')} services/control-plane/dist/main.js`);
  expect(await createSession('without-control-plane')).toBe(200);
});

test('after a kill, the next start stops leftover processes, reuses the tenant and shows the demo steps again', async () => {
  const { organizationId } = quickstart();
  const processes = recorded();
  expect(stillRunning(processes)).toHaveLength(3); // all but the control plane
  run.child.kill('SIGKILL');
  await run.exit;

  run = start();
  await run.until(/^Ready\./);
  expect(stillRunning(processes)).toEqual([]);
  expect(run.lines.join('\n')).toMatch(/1\. Registration: GET .*the demo company already exists/);
  expect(run.lines.join('\n')).toMatch(/429 concurrent_stream_limit_reached, limit 2/);
  expect(quickstart().organizationId).toBe(organizationId);
});

test('a second start with the same data, or with ports in use, fails with a message and disturbs nothing', async () => {
  const processes = recorded();

  const sameData = start();
  await sameData.until(new RegExp(`already running with the data in ${folder} \\(process ${run.child.pid}\\)`));
  expect(await sameData.end()).toBe(1);

  const samePorts = start({ LOCAL_DATA_DIR: join(folder, 'other') });
  await samePorts.until(new RegExp(`Port ${environment.CONTROL_PLANE_PORT} is in use .*CONTROL_PLANE_PORT=`));
  expect(await samePorts.end()).toBe(1);

  expect(stillRunning(processes)).toEqual(processes);
  expect(await createSession('undisturbed')).toBe(200);
});

test('Ctrl-C, also twice, leaves nothing running', async () => {
  const processes = recorded();
  expect(stillRunning(processes)).toHaveLength(4);
  run.child.kill('SIGINT');
  await run.until(/^Stopping \(SIGINT\)/);
  run.child.kill('SIGINT');
  expect(await run.end()).toBe(0);
  expect(stillRunning(processes)).toEqual([]);
  expect(recorded()).toEqual([]);
  for (const name of ['quickstart.json', 'lock.json', 'control-plane.env', 'playback.env']) {
    expect(existsSync(join(folder, name))).toBe(false);
  }
});

test('if the parent process is killed, everything stops', async () => {
  // A shell in between that does not exec the program: killing it is like killing npm.
  const parent = start({}, ['sh', '-c', '"$0" "$@"; true', ...program]);
  await parent.until(/^Ready\./);
  const processes = recorded();
  parent.child.kill('SIGKILL');
  // The output stays open until the program has ended.
  await parent.until(/^Stopping \(end of the parent process\)/);
  await parent.end();
  expect(stillRunning(processes)).toEqual([]);
});
