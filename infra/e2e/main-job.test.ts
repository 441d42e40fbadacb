import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { ControlPlaneSchemas, PlaybackSchemas } from '@multi-drm/contracts';
import { cloneDatabase, startRedis, type TestDatabase, type TestRedis } from '@multi-drm/local/testing';
import { ServiceProcess } from './service-process';

type Session = PlaybackSchemas['PlaybackSessionResponse'];

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

async function send<Answer>(url: string, body: object | undefined, headers: Record<string, string>): Promise<Answer> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url}: ${response.status} ${text}`);
  return (text === '' ? undefined : JSON.parse(text)) as Answer;
}

/** A customer with published content, as its administrator and its backend see it. */
class Customer {
  private constructor(
    private readonly managementKey: string,
    private readonly siteId: string,
    private readonly credentials: Record<string, string>,
  ) {}

  static async register(): Promise<Customer> {
    const name = randomUUID();
    const { organizationId, managementKey } = await send<ControlPlaneSchemas['CompanyRegistrationResponse']>(
      `${controlPlane.url}/api/v1/organizations/registrations`,
      {
        companyName: name,
        country: 'DE',
        administrator: { name: 'Ada', email: `${name}@example.com` },
        agreement: { version: '2026-01', accepted: true },
      },
      {},
    );
    const management = `${controlPlane.url}/api/v1/management`;
    const authorization = { Authorization: `Bearer ${managementKey.key}` };
    const { projectId, environments = [] } = await send<ControlPlaneSchemas['ProjectResponse']>(
      `${management}/organizations/${organizationId}/projects`,
      { name: 'Lessons' },
      authorization,
    );
    const client = await send<ControlPlaneSchemas['CreatedApiClientResponse']>(
      `${management}/projects/${projectId}/api-clients`,
      { name: 'Backend', permissions: ['license-tokens:create'] },
      authorization,
    );
    const siteId = environments.find(({ kind }) => kind === 'development')?.environmentId ?? '';
    const credentials = { 'X-SERVICE-Client-Id': client.clientId, 'X-SERVICE-Client-Secret': client.accessKey };
    return new Customer(managementKey.key, siteId, credentials);
  }

  /** Resolves when the control plane has answered. */
  async publish(contentId: string): Promise<void> {
    const authorization = { Authorization: `Bearer ${this.managementKey}` };
    const { contentAssetId } = await send<ControlPlaneSchemas['ContentAssetResponse']>(
      `${controlPlane.url}/api/v1/management/environments/${this.siteId}/content`,
      {
        contentId,
        kind: 'vod',
        title: 'A lesson',
        manifests: [{ type: 'dash', url: 'https://cdn.example.com/a.mpd', drmSystems: ['widevine'] }],
      },
      authorization,
    );
    const path = `/api/v1/management/content/${contentAssetId}/publish`;
    await send(`${controlPlane.url}${path}`, undefined, authorization);
  }

  play(contentId: string, subject: string): Promise<Session> {
    return send<Session>(
      `${playback.url}/api/v1/playback/environments/${this.siteId}/sessions`,
      { contentId, contentType: 'vod', drmSystem: 'widevine', subject, useEnvironmentDefaults: true },
      this.credentials,
    );
  }

  /** Plays once playback has heard of the content; resolves to the milliseconds that this took. */
  async followed(contentId: string): Promise<number> {
    const since = performance.now();
    for (;;) {
      const session = await this.play(contentId, randomUUID()).catch(() => undefined);
      if (session !== undefined) return performance.now() - since;
    }
  }
}

const release = ({ release: { url }, drm: { drmLicenseToken } }: Session) =>
  send(url, undefined, { Authorization: `Bearer ${drmLicenseToken}` });

test("the README's commands do the main job, again and again", async () => {
  const readme = readFileSync(join(__dirname, '../../README.md'), 'utf8');
  const commands = /```sh\n(.*?)```/s.exec(readme)?.[1] ?? '';
  const folder = mkdtempSync(join(tmpdir(), 'readme-'));
  const env = { ...process.env, CONTROL_PLANE_URL: controlPlane.url, PLAYBACK_URL: playback.url };
  for (let round = 0; round < 2; round += 1) {
    const { stdout } = await promisify(execFile)('bash', ['-c', commands], { cwd: folder, env });
    const lines = stdout.trim().split('\n').slice(-4);
    expect(lines).toEqual([
      expect.stringContaining('"contractVersion":1'),
      expect.stringContaining('"code":"concurrent_stream_limit_reached"'),
      'release: 204',
      expect.stringContaining('"contractVersion":1'),
    ]);
  }
  rmSync(folder, { recursive: true });
});

test('without the control plane sessions start and end; when it is back, playback follows within a second', async () => {
  const customer = await Customer.register();
  await customer.publish('before');
  await customer.followed('before');

  expect(await controlPlane.stop()).toBe(0);
  await release(await customer.play('before', 'viewer'));
  await release(await customer.play('before', 'viewer'));

  await controlPlane.start();
  await customer.publish('after');
  expect(await customer.followed('after')).toBeLessThan(1_000);
});

test('a restart of everything keeps tenant, content and reservations', async () => {
  const customer = await Customer.register();
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
