import { licenseBackendDocument, publishedKeys } from '@multi-drm/contracts';
import { backendDescriptors } from '@multi-drm/license-backends';
import { openLicenseBackend, type RedisClient, Secrets } from '@multi-drm/service-kit';
import { secretsOfRequest, startRedis } from '@multi-drm/test-kit';
import { PendingDocuments } from '../publishing/pending-documents';
import { startControlPlane, type TestControlPlane } from '../testing/control-plane';
import { backends, type Vendor } from '../testing/license-backends';
import { publishingStore } from '../testing/publishing-store';
import { recordingLogger } from '../testing/recording-logger';
import { bearer, createContent, createTenant, type TestTenant } from '../testing/records';
import { connectToRedis } from '../testing/redis';

type DrmSystem = 'widevine' | 'playready' | 'fairplay' | 'wiseplay';

const contentKey = 'A0B1C2D3E4F5061728394A5B6C7D8E9F';

let server: Awaited<ReturnType<typeof startRedis>>;
let redis: RedisClient;
let controlPlane: TestControlPlane;
let tenant: TestTenant;

beforeAll(async () => {
  server = await startRedis();
  redis = await connectToRedis({ REDIS_URL: server.url });
  controlPlane = await startControlPlane();
  tenant = await createTenant(controlPlane);
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

async function publish(): Promise<void> {
  const { prisma } = controlPlane;
  const store = publishingStore(redis);
  const logger = recordingLogger(controlPlane.log);
  await new PendingDocuments({ prisma, ...store, logger, now: () => new Date(), random: Math.random }).publish();
}

const configure = (drmSystem: DrmSystem, body: object) =>
  controlPlane.api
    .put(`/api/v1/management/environments/${tenant.production}/drm-systems/${drmSystem}`)
    .set(bearer(tenant.key))
    .send(body)
    .expect(200);
const published = async (drmSystem: DrmSystem, environmentId = tenant.production) => {
  const document = await redis.hget(publishedKeys.licenseBackend(environmentId, drmSystem), 'document');
  return document === null || document === '' ? null : licenseBackendDocument.parse(JSON.parse(document));
};

/** Everything in the database and in Redis, as text. */
async function dumps(): Promise<{ postgres: string; redis: string }> {
  const { prisma } = controlPlane;
  const tables = await prisma.$queryRaw<{ name: string }[]>`
    SELECT table_name AS name FROM information_schema.tables WHERE table_schema = current_schema()`;
  const rows = await Promise.all(
    tables.map(({ name }) => prisma.$queryRawUnsafe<{ row: string }[]>(`SELECT t::text AS row FROM "${name}" t`)),
  );
  const keys = await redis.keys('*');
  const hashes = await Promise.all(keys.map((key) => redis.hgetall(key)));
  return { postgres: JSON.stringify(rows), redis: JSON.stringify([keys, hashes]) };
}

/** A secret verbatim, and in several encodings. */
const looksOf = (secret: string) => [
  secret,
  Buffer.from(secret).toString('base64').replace(/=+$/, ''),
  Buffer.from(secret).toString('hex'),
  Buffer.from(secret, 'hex').toString('base64').replace(/=+$/, ''),
];

test('dumps of the database and of Redis contain no secret of any backend and no content key in the clear', async () => {
  await createContent(controlPlane, tenant, {
    contentId: 'lesson',
    keys: [{ keyId: '10000000-1000-1000-1000-10000000000a', trackTypes: ['SD'], key: contentKey }],
  });
  const secrets = new Secrets([{ id: 'tests', key: Buffer.alloc(32, 7) }]);
  for (const [index, type] of (Object.keys(backends) as Vendor[]).entries()) {
    const { open, secret } = backends[type];
    const { systems } = backendDescriptors[type];
    const drmSystem = systems[index % systems.length] ?? 'widevine';
    await configure(drmSystem, { enabled: true, backend: { type, ...open, ...secret } });
    await publish();
    // The encrypted values of these secrets really are in the dumps.
    const document = await published(drmSystem);
    expect(document && openLicenseBackend(secrets, document)).toEqual({ type, ...open, ...secret });
    const values = Object.values(secret).flatMap((value) =>
      typeof value === 'string' ? [value] : Object.values(value),
    );
    // Logs and dumps of every test run are searched for them, too.
    const searched = secretsOfRequest(JSON.stringify({ type, ...open, ...secret })).map(({ value }) => value);
    expect(searched.sort()).toEqual(values.sort());
    const all = await dumps();
    for (const text of [all.postgres.toLowerCase(), all.redis.toLowerCase()]) {
      expect(text).toContain('v1.tests.');
      for (const look of [...values, contentKey].flatMap(looksOf).filter((item) => item.length > 10)) {
        expect(text).not.toContain(look.toLowerCase());
      }
    }
  }
  expect(await redis.hget(publishedKeys.content(tenant.development, 'lesson'), 'document')).toContain('v1.tests.');
});

test('a configuration is published again, and no other one changes its version of the settings', async () => {
  const version = async (drmSystem: DrmSystem) => (await published(drmSystem))?.settingsVersion;
  const url = `/api/v1/management/environments/${tenant.development}/drm-systems/fairplay`;
  await controlPlane.api.delete(url).set(bearer(tenant.key)).expect(204);
  await publish();
  const before = [await version('fairplay'), await version('wiseplay')];
  await configure('fairplay', {
    enabled: true,
    backend: { type: 'axinom', ...backends.axinom.open, ...backends.axinom.secret },
  });
  await publish();
  expect(await published('fairplay')).toMatchObject({ enabled: true, backend: { type: 'axinom' } });
  expect(await version('fairplay')).not.toBe(before[0]);
  expect(await version('wiseplay')).toBe(before[1]);
});

test.each(['environment', 'project', 'organization'])('license backends are removed with their %s', async (scope) => {
  const other = await createTenant(controlPlane);
  await publish();
  expect(await published('fairplay', other.development)).toMatchObject({
    enabled: true,
    backend: { type: 'clearkey', settings: {}, encryptedSecrets: {} },
    certificate: expect.any(String),
  });
  const paths: Record<string, string> = {
    environment: `environments/${other.development}`,
    project: `projects/${other.projectId}`,
    organization: `organizations/${other.organizationId}`,
  };
  const key = scope === 'organization' ? 'op_operator-key-of-the-tests' : other.key;
  await controlPlane.api.delete(`/api/v1/management/${paths[scope]}`).set(bearer(key)).expect(204);
  await publish();
  expect(await published('fairplay', other.development)).toBeNull();
  expect(await redis.hget(publishedKeys.licenseBackend(other.development, 'fairplay'), 'document')).toBe('');
});
