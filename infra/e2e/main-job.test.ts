import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { codeIn } from '@multi-drm/test-kit/documents/guide';
import { release } from '@multi-drm/test-kit/services/customer';
import { documentedMetrics, readMetrics } from './metrics';
import { type StartedServices, startServices } from './started-services';

let services: StartedServices;

jest.setTimeout(60_000);

beforeAll(async () => {
  services = await startServices({ appendOnly: true });
});

const commands = codeIn('getting-started', 'sh');

test('the commands of getting started work, repeatedly', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'readme-'));
  const env = { ...process.env, CONTROL_PLANE_URL: services.controlPlane.url, PLAYBACK_URL: services.playback.url };
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

describe.each([
  ['the control plane', 'controlPlane'],
  ['playback', 'playback'],
] as const)('the metrics of %s', (name, service) => {
  test('are those of the table in its documents, with type, unit and labels', async () => {
    const documented = documentedMetrics().filter(({ services }) => services.includes(name));
    const { metrics } = await readMetrics(services.metricsUrls[service]);
    expect(metrics).toEqual(documented.map(({ services: _, ...metric }) => metric));
  });

  test('have at most 300 series of HTTP after the main job', async () => {
    const { samples } = await readMetrics(services.metricsUrls[service]);
    const httpSamples = samples.filter((sample) => sample.includes('http'));
    expect(httpSamples.length).toBeGreaterThan(30);
    expect(httpSamples.length).toBeLessThanOrEqual(300);
  });
});

test('the metrics tell a viewer at its limit from other refusals with the same status', async () => {
  const { samples } = await readMetrics(services.metricsUrls.playback);
  const refused = samples.filter((sample) => sample.includes('status="429"'));
  expect(refused).toEqual([
    'multi_drm_http_requests_total{method="POST",route="/api/v1/playback/environments/{siteId}/sessions",status="429",code="concurrent_stream_limit_reached"} 2',
  ]);
});

test('the commands of getting started stop at a missing response, name it and leave the shell open', async () => {
  const env = { ...process.env, CONTROL_PLANE_URL: services.playback.url, PLAYBACK_URL: services.playback.url };
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
  const customer = await services.register();
  await customer.publish('before');
  await customer.followed('before');

  expect(await services.controlPlane.stop()).toBe(0);
  await release(await customer.play('before', 'viewer'));
  await release(await customer.play('before', 'viewer'));

  await services.controlPlane.start();
  await customer.publish('after');
  expect(await customer.followed('after')).toBeLessThan(1_000);
});

test('tenant, content and reservations survive a restart of everything', async () => {
  const customer = await services.register();
  await customer.publish('lesson');
  await customer.followed('lesson');
  for (let stream = 0; stream < 3; stream += 1) await customer.play('lesson', 'viewer');

  expect(await Promise.all([services.controlPlane.stop(), services.playback.stop()])).toEqual([0, 0]);
  await services.redis.stop();
  await services.redis.start();
  await Promise.all([services.controlPlane.start(), services.playback.start()]);

  await expect(customer.play('lesson', 'viewer')).rejects.toThrow('concurrent_stream_limit_reached');
  await customer.play('lesson', 'another viewer');
  await customer.publish('one more');
  await customer.followed('one more');
});
