import { publishedKeys } from '@multi-drm/contracts';
import type { RedisClient } from '@multi-drm/service-kit';
import type { Response } from 'supertest';
import { operatorKey, startControlPlane, type TestControlPlane } from '../testing/control-plane';
import { endUserKey } from '../testing/end-user-key';
import { publishRecord } from '../testing/publish-record';
import { publishingStore } from '../testing/publishing-store';
import { recordingLogger } from '../testing/recording-logger';
import { bearer, createTenant, type TestTenant } from '../testing/records';
import { connectToRedis } from '../testing/redis';
import { PendingDocuments } from './pending-documents';

let controlPlane: TestControlPlane;
let redis: RedisClient;
let tenant: TestTenant;
let clientId: string;

beforeAll(async () => {
  controlPlane = await startControlPlane();
  redis = await connectToRedis();
});
afterAll(() => redis.disconnect());

beforeEach(async () => {
  tenant = await createTenant(controlPlane);
  await call('post', `projects/${tenant.projectId}/users`, { subject: 'student', status: 'blocked' });
  const client = { name: 'Backend', permissions: ['sessions:read'] };
  clientId = (await call('post', `projects/${tenant.projectId}/api-clients`, client)).body.clientId;
  await publishAll();
});

const call = async (method: 'post' | 'delete', path: string, body?: object, key = tenant.key): Promise<Response> =>
  controlPlane.api[method](`/api/v1/management/${path}`).set(bearer(key)).send(body);

async function publishAll(): Promise<void> {
  await new PendingDocuments({
    prisma: controlPlane.prisma,
    ...publishingStore(redis),
    logger: recordingLogger([]),
    now: () => new Date(),
    random: () => 0,
  }).publish();
}
const publishEnvironment = () =>
  publishRecord(
    { prisma: controlPlane.prisma, now: () => new Date(), ...publishingStore(redis) },
    { documentKind: 'environment', documentId: tenant.production },
  );

async function read(key: string): Promise<{ document: unknown; revision: bigint }> {
  const [document, revision] = await redis.hmget(key, 'document', 'revision');
  return { document: document === '' ? null : JSON.parse(document ?? '"missing"'), revision: BigInt(revision ?? 0) };
}
const keysOfTenant = async (): Promise<Record<string, string>> => ({
  environment: publishedKeys.environment(tenant.production),
  licenseBackend: publishedKeys.licenseBackend(tenant.production, 'widevine'),
  endUser: await endUserKey(controlPlane.prisma, tenant.production, 'student'),
  apiClient: publishedKeys.apiClient(clientId),
});

describe.each([
  ['environment', () => `environments/${tenant.production}`, ['environment', 'licenseBackend', 'endUser']],
  ['project', () => `projects/${tenant.projectId}`, ['environment', 'licenseBackend', 'endUser', 'apiClient']],
  [
    'organization',
    () => `organizations/${tenant.organizationId}`,
    ['environment', 'licenseBackend', 'endUser', 'apiClient'],
  ],
] as const)('the documents of a restored %s', (_kind, path, names) => {
  test('return as they were, with later revisions, and environments after their viewers', async () => {
    const keys = await keysOfTenant();
    const readAll = () => Promise.all(names.map((name) => read(keys[name] ?? '')));
    const before = await readAll();
    expect(before.map(({ document }) => document)).not.toContain(null);
    expect((await call('delete', path(), undefined, operatorKey)).status).toBe(204);
    await publishAll();
    const gone = await readAll();
    expect(gone.map(({ document }) => document)).toEqual(names.map(() => null));

    expect((await call('post', `${path()}/restore`, undefined, operatorKey)).status).toBe(200);
    await publishEnvironment();
    // A blocked viewer must not play before playback knows of it again.
    expect((await read(publishedKeys.environment(tenant.production))).document).toBeNull();
    await publishAll();
    const after = await readAll();
    expect(after.map(({ document }) => document)).toEqual(before.map(({ document }) => document));
    for (const [index, { revision }] of after.entries()) expect(revision).toBeGreaterThan(gone[index]?.revision ?? 0n);
  });
});

test('an environment that is archived again while it waits for its viewers is removed at once', async () => {
  await call('delete', `environments/${tenant.production}`);
  await call('post', `environments/${tenant.production}/restore`);
  // The first archiving was never published, so the environment is still served.
  await publishEnvironment();
  expect((await read(publishedKeys.environment(tenant.production))).document).not.toBeNull();
  await call('delete', `environments/${tenant.production}`);
  await publishEnvironment();
  expect((await read(publishedKeys.environment(tenant.production))).document).toBeNull();
});
