import { randomUUID } from 'node:crypto';
import { publishedKeys } from '@multi-drm/contracts';
import { cloneDatabase } from '@multi-drm/local/testing';
import { createPrismaClient } from '../database/prisma-client';
import type { PrismaClient } from '../generated/prisma/client';
import { type InsertedTenant, insertTenant } from '../testing/insert-tenant';
import { renderers } from './renderers';

let database: Awaited<ReturnType<typeof cloneDatabase>>;
let prisma: PrismaClient;
let tenant: InsertedTenant;

beforeAll(async () => {
  database = await cloneDatabase();
  prisma = createPrismaClient(database.url);
  tenant = await insertTenant(prisma);
});

afterAll(async () => {
  await prisma.$disconnect();
  await database.drop();
});

test('an organization is rendered with its status alone', async () => {
  const { organizationId } = tenant;
  expect(await renderers.organization(prisma, organizationId)).toEqual({
    key: publishedKeys.organization(organizationId),
    document: { organizationId, status: 'active' },
  });
});

test('an environment is rendered with its settings and DRM systems', async () => {
  const { environmentId, projectId, organizationId } = tenant;
  expect(await renderers.environment(prisma, environmentId)).toEqual({
    key: publishedKeys.environment(environmentId),
    document: {
      environmentId,
      projectId,
      organizationId,
      kind: 'development',
      settings: {
        defaultLicensePolicyTemplate: null,
        sessionLifetimeSeconds: 14_400,
        maximumConcurrentStreams: 3,
      },
      drmSystems: [{ drmSystem: 'widevine', enabled: true, backend: 'clearkey' }],
    },
  });
});

test('content is rendered under the reference of the customer, draft or not', async () => {
  const { environmentId } = tenant;
  const manifests = [{ type: 'dash', url: 'https://media.example.com/42.mpd', drmSystems: ['widevine'] }];
  const keys = [{ keyId: randomUUID(), trackTypes: ['HD'] }];
  const { id } = await prisma.contentAsset.create({
    data: {
      environmentId,
      contentId: 'lesson-{42}',
      kind: 'vod',
      title: 'Lesson 42',
      manifests,
      keys,
      audioLanguages: ['de'],
      subtitleLanguages: ['en', 'fr'],
    },
  });
  expect(await renderers.content(prisma, id)).toEqual({
    key: publishedKeys.content(environmentId, 'lesson-{42}'),
    document: {
      contentAssetId: id,
      environmentId,
      contentId: 'lesson-{42}',
      kind: 'vod',
      status: 'draft',
      manifests,
      keys,
      audioLanguages: ['de'],
      subtitleLanguages: ['en', 'fr'],
    },
  });
});

test('no more of a content key is rendered than its id and its track types', async () => {
  const { id } = await prisma.contentAsset.create({
    data: {
      environmentId: tenant.environmentId,
      contentId: randomUUID(),
      kind: 'vod',
      title: 'Lesson 43',
      keys: [{ keyId: randomUUID(), trackTypes: ['HD'], key: '00112233445566778899aabbccddeeff' }],
      audioLanguages: [],
      subtitleLanguages: [],
    },
  });
  expect(JSON.stringify(await renderers.content(prisma, id))).not.toContain('00112233445566778899aabbccddeeff');
});

test.each([
  ['all environments of its project', true, []],
  ['the environments that it is limited to', false, [randomUUID()]],
  ['no environment, where the last one that it was limited to is gone', false, []],
])('an API client is rendered for %s', async (_name, allEnvironments, environmentIds) => {
  const { projectId, organizationId } = tenant;
  const clientId = randomUUID();
  const accessKeyHash = 'a'.repeat(64);
  const expiresAt = new Date('2027-01-01T00:00:00.000Z');
  const permissions = ['license-tokens:create'];
  const { id } = await prisma.apiClient.create({
    data: { projectId, clientId, name: 'LMS', accessKeyHash, permissions, allEnvironments, environmentIds, expiresAt },
  });
  expect(await renderers.apiClient(prisma, id)).toEqual({
    key: publishedKeys.apiClient(clientId),
    document: {
      apiClientId: id,
      clientId,
      projectId,
      organizationId,
      accessKeyHashes: [accessKeyHash],
      permissions,
      environmentIds: allEnvironments ? null : environmentIds,
      expiresAt: '2027-01-01T00:00:00.000Z',
    },
  });
});

test.each(['organization', 'environment', 'content', 'apiClient'] as const)(
  'an unknown %s has no document',
  async (kind) => {
    expect(await renderers[kind](prisma, randomUUID())).toBeNull();
  },
);
