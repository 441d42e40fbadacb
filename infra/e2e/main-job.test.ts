import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { cloneDatabase, startRedis, type TestDatabase, type TestRedis } from '@multi-drm/testing';
import { Customer, release } from './customer';
import { ServiceProcess } from './service-process';

let database: TestDatabase;
let redis: TestRedis;
let controlPlane: ServiceProcess;
let playback: ServiceProcess;

jest.setTimeout(60_000);

beforeAll(async () => {
  [database, redis] = await Promise.all([cloneDatabase(), startRedis({ appendOnly: true })]);
  controlPlane = await ServiceProcess.controlPlane(database.url, redis.url);
  playback = await ServiceProcess.playback(redis.url);
  await Promise.all([controlPlane.start(), playback.start()]);
});
afterAll(async () => {
  await Promise.all([controlPlane.stop(), playback.stop()]);
  await Promise.all([database.drop(), redis.stop()]);
});

const readme = readFileSync(join(__dirname, '../../README.md'), 'utf8');
const commands = /```sh\n(.*?)```/s.exec(readme)?.[1] ?? '';

test("the README's commands work, repeatedly", async () => {
  const folder = mkdtempSync(join(tmpdir(), 'readme-'));
  const env = { ...process.env, CONTROL_PLANE_URL: controlPlane.url, PLAYBACK_URL: playback.url };
  for (let round = 0; round < 2; round += 1) {
    const { stdout } = await promisify(execFile)('bash', ['-c', commands], { cwd: folder, env });
    expect(stdout.trim().split('\n')).toEqual([
      '2',
      'published',
      expect.stringMatching(/^first: plays, session [\w-]+$/),
      expect.stringMatching(/^second: plays, session [\w-]+$/),
      'third: refused, concurrent_stream_limit_reached',
      'release: 204',
      expect.stringMatching(/^fourth: plays, session [\w-]+$/),
    ]);
  }
  rmSync(folder, { recursive: true });
});

test("the README's commands stop at a missing response, name it and leave the shell open", async () => {
  const env = { ...process.env, CONTROL_PLANE_URL: playback.url, PLAYBACK_URL: playback.url };
  // Sent to an interactive shell, as if pasted.
  const shell = spawn('bash', ['--norc', '-i'], { env, stdio: ['pipe', 'pipe', 'pipe'] });
  shell.stdin.end(`${commands}\necho still open\n`);
  const [stdout, stderr] = await Promise.all([text(shell.stdout), text(shell.stderr)]);
  expect(stdout).toBe('still open\n');
  expect(stderr.match(/^stopped: .*$/gm)).toEqual([
    expect.stringMatching(/^stopped: no organizationId in the answer: .*"code":"route_not_found"/),
  ]);
});

test('without the control plane, sessions start and end; when it is back, playback follows within a second', async () => {
  const customer = await Customer.register({ controlPlaneUrl: controlPlane.url, playbackUrl: playback.url });
  await customer.publish('before');
  await customer.followed('before');

  expect(await controlPlane.stop()).toBe(0);
  await release(await customer.play('before', 'viewer'));
  await release(await customer.play('before', 'viewer'));

  await controlPlane.start();
  await customer.publish('after');
  expect(await customer.followed('after')).toBeLessThan(1_000);
});

test('tenant, content and reservations survive a restart of everything', async () => {
  const customer = await Customer.register({ controlPlaneUrl: controlPlane.url, playbackUrl: playback.url });
  await customer.publish('lesson');
  await customer.followed('lesson');
  for (let stream = 0; stream < 3; stream += 1) await customer.play('lesson', 'viewer');

  expect(await Promise.all([controlPlane.stop(), playback.stop()])).toEqual([0, 0]);
  await redis.stop();
  await redis.start();
  await Promise.all([controlPlane.start(), playback.start()]);

  await expect(customer.play('lesson', 'viewer')).rejects.toThrow('concurrent_stream_limit_reached');
  await customer.play('lesson', 'another viewer');
  await customer.publish('one more');
  await customer.followed('one more');
});
