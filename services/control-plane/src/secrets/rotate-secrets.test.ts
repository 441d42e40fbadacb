import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { contentDocument, licenseBackendDocument, publishedKeys } from '@multi-drm/contracts';
import { openContentKey, openLicenseBackend, type RedisClient, type SecretKey, Secrets } from '@multi-drm/service-kit';
import { observedProcess, startRedis, type TestRedis } from '@multi-drm/test-kit';
import { createPrismaClient } from '../database/prisma-client';
import { Prisma } from '../generated/prisma/client';
import { PendingDocuments } from '../publishing/pending-documents';
import { lockRow } from '../stores/lock-row';
import { secretHeadersOf } from '../stores/webhook-endpoints';
import { startControlPlane, type TestControlPlane } from '../testing/control-plane';
import { eventually } from '../testing/eventually';
import { backends } from '../testing/license-backends';
import { publishingStore } from '../testing/publishing-store';
import { recordingLogger } from '../testing/recording-logger';
import { bearer, createContent, createTenant, type TestTenant } from '../testing/records';
import { connectToRedis } from '../testing/redis';
import { openEndpoint } from '../webhooks/open-endpoint';
import { rotateSecrets } from './rotate-secrets';

const oldKey: SecretKey = { id: 'old', key: randomBytes(32) };
const newKey: SecretKey = { id: 'new', key: randomBytes(32) };
const setting = (...keys: SecretKey[]) => keys.map(({ id, key }) => `${id}:${key.toString('base64')}`).join(',');

const keyId = '10000000-1000-1000-1000-10000000000a';
const contentKey = '00112233445566778899aabbccddeeff';

let redisServer: TestRedis;
let redis: RedisClient;
let controlPlane: TestControlPlane;
let tenant: TestTenant;

beforeAll(async () => {
  redisServer = await startRedis();
  redis = await connectToRedis({ REDIS_URL: redisServer.url });
  controlPlane = await startControlPlane({ environment: { SECRET_KEYS: setting(oldKey) } });
});
afterAll(async () => {
  redis.disconnect();
  await redisServer.stop();
});

beforeEach(async () => {
  tenant = await createTenant(controlPlane);
});

// What the tests encrypted with several keys. A rotation reads the records of all tenants.
afterEach(async () => {
  const { prisma } = controlPlane;
  await prisma.contentAsset.deleteMany();
  await prisma.environmentDrmSystem.updateMany({ data: { backendSecrets: Prisma.DbNull } });
  await prisma.webhookEndpoint.deleteMany();
  await prisma.subjectHashKey.updateMany({ data: { key: randomBytes(32), sealedKey: null } });
  await prisma.outboxEntry.deleteMany();
});

const configure = (drmSystem: string, type: keyof typeof backends) =>
  controlPlane.api
    .put(`/api/v1/management/environments/${tenant.production}/drm-systems/${drmSystem}`)
    .set(bearer(tenant.key))
    .send({ enabled: true, backend: { type, ...backends[type].open, ...backends[type].secret } })
    .expect(200);
const keys = [
  { keyId, trackTypes: ['SD' as const], key: contentKey },
  { keyId: '20000000-2000-2000-2000-20000000000b', trackTypes: ['HD' as const] },
];
const withContentKey = () => createContent(controlPlane, tenant, { contentId: 'lesson', keys });
const createContents = async (count: number) => {
  for (let index = 0; index < count; index++) await createContent(controlPlane, tenant, { keys });
};

const hookHeader = 'Bearer of-the-receiver';

/** A webhook endpoint in the overlap of a rotation. Returns its id and both secrets, the newer one first. */
async function withWebhookEndpoint() {
  const send = (path: string, body: object) =>
    controlPlane.api.post(`/api/v1/management/${path}`).set(bearer(tenant.key)).send(body).expect(200);
  const hook = { url: 'https://hooks.example.com/', types: ['*'], secretHeaders: { Authorization: hookHeader } };
  const { body: created } = await send(`projects/${tenant.projectId}/webhook-endpoints`, hook);
  const { body: rotated } = await send(`webhook-endpoints/${created.webhookEndpointId}/rotate`, {});
  return { id: created.webhookEndpointId, secrets: [rotated.secret, created.secret] };
}

/** Records with a secret encrypted with a key of another id. */
async function holdersOfOthersThan(id: string): Promise<number> {
  const { prisma } = controlPlane;
  const drmSystems = await prisma.environmentDrmSystem.findMany({ select: { backendSecrets: true } });
  const assets = await prisma.contentAsset.findMany({ select: { keys: true } });
  const hooks = await prisma.webhookEndpoint.findMany({
    select: { secret: true, previousSecret: true, secretHeaders: true },
  });
  const records = [
    ...hooks,
    ...drmSystems.map(({ backendSecrets }) => backendSecrets),
    ...assets.map((asset) => asset.keys),
  ];
  const keyIds = /"v1\.([\w-]+)\./g;
  return records.filter((record) => [...JSON.stringify(record).matchAll(keyIds)].some(([, keyId]) => keyId !== id))
    .length;
}

async function publish(): Promise<void> {
  const { prisma } = controlPlane;
  const store = publishingStore(redis);
  const logger = recordingLogger(controlPlane.log);
  await new PendingDocuments({ prisma, ...store, logger, now: () => new Date(), random: Math.random }).publish();
}

const published = async (key: string) => JSON.parse((await redis.hget(key, 'document')) ?? '');

/** Decrypts everything that is published with one key only. */
async function openPublished(key: SecretKey) {
  const secrets = new Secrets([key]);
  const backendOf = async (drmSystem: string) =>
    openLicenseBackend(
      secrets,
      licenseBackendDocument.parse(await published(publishedKeys.licenseBackend(tenant.production, drmSystem))),
    );
  const content = contentDocument.parse(await published(publishedKeys.content(tenant.development, 'lesson')));
  return {
    widevine: await backendOf('widevine'),
    playready: await backendOf('playready'),
    contentKeys: content.keys.map((item) => openContentKey(secrets, content, item)?.toString('hex') ?? null),
  };
}

test('after a rotation, nothing that is stored or published needs the old key, and nothing else has changed', async () => {
  await configure('widevine', 'widevine-proxy');
  await configure('playready', 'http');
  await withContentKey();
  await publish();
  const before = await openPublished(oldKey);
  const { prisma } = controlPlane;
  const rows = async () => ({
    drmSystems: await prisma.environmentDrmSystem.findMany({
      orderBy: { drmSystem: 'asc' },
      omit: { backendSecrets: true },
    }),
    content: await prisma.contentAsset.findMany({ omit: { keys: true } }),
    environments: await prisma.environment.findMany({ orderBy: { id: 'asc' } }),
  });
  const unchanged = await rows();

  expect(await rotateSecrets(controlPlane.prisma, [newKey, oldKey], 1)).toEqual({ renewed: 3, unreadable: [] });
  expect(await holdersOfOthersThan('new')).toBe(0);
  expect(await rows()).toEqual(unchanged);
  await publish();
  expect(await openPublished(newKey)).toEqual(before);
  expect(before).toEqual({
    widevine: { type: 'widevine-proxy', ...backends['widevine-proxy'].open, ...backends['widevine-proxy'].secret },
    playready: { type: 'http', ...backends.http.open, ...backends.http.secret },
    contentKeys: [contentKey, null],
  });
});

test('after a rotation, the secrets of webhook endpoints need the new key alone, and their versions are the same', async () => {
  const { id, secrets } = await withWebhookEndpoint();
  const removed = await withWebhookEndpoint();
  const path = `/api/v1/management/webhook-endpoints/${removed.id}`;
  await controlPlane.api.delete(path).set(bearer(tenant.key)).expect(204);
  const before = await controlPlane.prisma.webhookEndpoint.findUniqueOrThrow({ where: { id } });
  expect(await rotateSecrets(controlPlane.prisma, [newKey, oldKey], 1)).toEqual({ renewed: 1, unreadable: [] });
  expect(await holdersOfOthersThan('new')).toBe(0);
  const after = await controlPlane.prisma.webhookEndpoint.findUniqueOrThrow({ where: { id } });
  const { secret, previousSecret, secretHeaders } = after;
  expect(after).toEqual({ ...before, secret, previousSecret, secretHeaders });
  expect(openEndpoint(new Secrets([newKey]), { ...after, secretHeaders: secretHeadersOf(after) })).toEqual({
    url: 'https://hooks.example.com/',
    secrets,
    headers: { authorization: hookHeader },
  });
});

test('a second rotation finds nothing to do, and adds no outbox entries', async () => {
  await configure('widevine', 'axinom');
  await withContentKey();
  await rotateSecrets(controlPlane.prisma, [newKey, oldKey]);
  await publish();
  expect(await rotateSecrets(controlPlane.prisma, [newKey, oldKey])).toEqual({ renewed: 0, unreadable: [] });
  expect(await controlPlane.prisma.outboxEntry.count()).toBe(0);
});

test('a secret that cannot be decrypted stays, is named, and does not hold up others; the next rotation continues', async () => {
  await configure('widevine', 'axinom');
  await rotateSecrets(controlPlane.prisma, [newKey, oldKey]);
  const id = await withContentKey();
  const lastKey: SecretKey = { id: 'last', key: randomBytes(32) };
  expect(await rotateSecrets(controlPlane.prisma, [lastKey, newKey])).toEqual({
    renewed: 1,
    unreadable: [
      {
        name: `contentAsset ${id}`,
        error: expect.objectContaining({ message: expect.stringContaining('no key old') }),
      },
    ],
  });
  expect(await rotateSecrets(controlPlane.prisma, [lastKey, newKey, oldKey])).toEqual({ renewed: 1, unreadable: [] });
  expect(await holdersOfOthersThan('last')).toBe(0);
});

test('a key with the id of another one is detected: what it cannot decrypt is named', async () => {
  await configure('widevine', 'axinom');
  const id = await withContentKey();
  const sameId: SecretKey = { id: oldKey.id, key: randomBytes(32) };
  const { renewed, unreadable } = await rotateSecrets(controlPlane.prisma, [sameId]);
  expect(renewed).toBe(0);
  expect(unreadable.map(({ name }) => name)).toEqual([`drmSystem ${tenant.production}/widevine`, `contentAsset ${id}`]);
});

test('secrets configured during a rotation, with either key, are neither lost nor left behind', async () => {
  await createContents(20);
  await configure('widevine', 'axinom');
  const rotations = [
    rotateSecrets(controlPlane.prisma, [newKey, oldKey], 3),
    rotateSecrets(controlPlane.prisma, [newKey, oldKey], 3),
  ];
  // By a control plane that has only the old key.
  for (const type of ['axinom', 'doverunner', 'http'] as const) await configure('widevine', type);
  for (const { unreadable } of await Promise.all(rotations)) expect(unreadable).toEqual([]);
  await rotateSecrets(controlPlane.prisma, [newKey, oldKey]);
  expect(await holdersOfOthersThan('new')).toBe(0);
  await withContentKey();
  await configure('playready', 'http');
  await rotateSecrets(controlPlane.prisma, [newKey, oldKey]);
  await publish();
  expect((await openPublished(newKey)).widevine?.type).toBe('http');
});

describe('the command', () => {
  const start = (keys: string) =>
    promisify(execFile)(process.execPath, observedProcess.args(join(__dirname, '../rotate-secrets.ts')), {
      env: {
        ...observedProcess.environment,
        PATH: process.env.PATH,
        DATABASE_URL: controlPlane.databaseUrl,
        SECRET_KEYS: keys,
      },
    });

  test('prints how many records changed', async () => {
    await withContentKey();
    expect((await start(setting(newKey, oldKey))).stdout).toBe('1\n');
    expect(await holdersOfOthersThan('new')).toBe(0);
  });

  test('can be run again to the end after it was killed', async () => {
    await createContents(5);
    const [last] = await controlPlane.prisma.contentAsset.findMany({ orderBy: { id: 'desc' }, take: 1 });
    const locker = createPrismaClient(controlPlane.databaseUrl, { transactionMilliseconds: 60_000 });
    await locker.$transaction(async (transaction) => {
      // The command waits for this record, and is killed there.
      await lockRow(transaction, 'content_asset', last?.id ?? '');
      const run = start(setting(newKey, oldKey));
      const killed = run.catch((error: unknown) => error);
      await eventually(async () => expect(await holdersOfOthersThan('new')).toBe(1), 30_000);
      run.child.kill('SIGKILL');
      expect(await killed).toMatchObject({ signal: 'SIGKILL' });
    });
    await locker.$disconnect();
    expect(await holdersOfOthersThan('new')).toBe(1);
    expect((await start(setting(newKey, oldKey))).stdout).toBe('1\n');
    expect(await holdersOfOthersThan('new')).toBe(0);
  });

  test('fails without keys, and if a secret cannot be decrypted, and prints neither key nor secret', async () => {
    await expect(start('')).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('SECRET_KEYS is required'),
    });
    const id = await withContentKey();
    const failure = await start(setting(newKey)).catch((error: unknown) => error as { code: number; stderr: string });
    expect(failure).toMatchObject({ code: 1, stderr: expect.stringContaining(`contentAsset ${id}`) });
    expect(JSON.stringify(failure)).not.toContain(contentKey);
    expect(failure.stderr).not.toContain(newKey.key.toString('base64'));
  });
});
