import { randomUUID } from 'node:crypto';
import { publishedKeys } from '@multi-drm/contracts';
import type { Prisma, PrismaClient } from '../generated/prisma/client';
import { endUserKey } from '../testing/end-user-key';
import { type InsertedTenant, insertTenant } from '../testing/insert-tenant';
import { openDatabase } from '../testing/test-database';
import { batchRenderers, renderRecord } from './renderers';

let prisma: PrismaClient;
let tenant: InsertedTenant;

beforeAll(async () => {
  ({ prisma } = await openDatabase());
});

beforeEach(async () => {
  tenant = await insertTenant(prisma);
});

async function insertContent(data: Partial<Prisma.ContentAssetUncheckedCreateInput> = {}): Promise<string> {
  const { environmentId } = tenant;
  const content = { environmentId, contentId: 'lesson-{42}', kind: 'vod' as const, title: 'Lesson 42' };
  const { id } = await prisma.contentAsset.create({ data: { ...content, ...data } });
  return id;
}

async function insertClient(data: Partial<Prisma.ApiClientUncheckedCreateInput> = {}): Promise<string> {
  const { projectId } = tenant;
  const client = { projectId, clientId: randomUUID(), name: 'LMS', accessKeyHash: 'a'.repeat(64) };
  const { id } = await prisma.apiClient.create({ data: { ...client, allEnvironments: true, ...data } });
  return id;
}

async function insertProfile(data: Partial<Prisma.LicenseProfileUncheckedCreateInput> = {}): Promise<string> {
  const { projectId } = tenant;
  const profile = { projectId, name: 'Premium', maximumHeight: 1080, tracks };
  const { id } = await prisma.licenseProfile.create({ data: { ...profile, ...data } });
  return id;
}

async function insertUser(data: Partial<Prisma.EndUserUncheckedCreateInput> = {}): Promise<string> {
  const { id } = await prisma.endUser.create({
    data: { projectId: tenant.projectId, subject: 'viewer', status: 'blocked', ...data },
  });
  return id;
}

const tracks = [{ trackTypes: ['SD', 'HD'], widevine: { securityLevel: 1, hdcp: 'none' } }];

test.each(['active', 'pending', 'suspended'] as const)(
  'an organization that is %s is rendered with its status and the streams of its plan',
  async (status) => {
    const { organizationId } = tenant;
    await prisma.organization.update({ where: { id: organizationId }, data: { status } });
    expect(await renderRecord(prisma, 'organization', organizationId)).toEqual([
      {
        key: publishedKeys.organization(organizationId),
        document: { organizationId, status, maximumConcurrentStreams: 100 },
      },
    ]);
  },
);

test('an organization whose plan has no stream limit is rendered without one', async () => {
  const { organizationId } = tenant;
  await prisma.organization.update({ where: { id: organizationId }, data: { planId: 'enterprise' } });
  const [rendered] = await renderRecord(prisma, 'organization', organizationId);
  expect(rendered?.document).toMatchObject({ maximumConcurrentStreams: null });
});

test('an environment is rendered with all its settings and its DRM systems', async () => {
  const { environmentId, projectId, organizationId } = tenant;
  const trackTypeHeights = { SD: 480, HD: 720, UHD1: 2160, UHD2: 4320 };
  const settings = {
    defaultLicensePolicyTemplate: 'Premium',
    sessionLifetimeSeconds: 60,
    maximumConcurrentStreams: 5,
    heartbeatSeconds: 30,
    maximumSessionSeconds: 3_600,
    licenseTokenLifetimeSeconds: 300,
    allowedOrigins: ['https://a.example'],
    trackTypeHeights,
  };
  await prisma.environment.update({ where: { id: environmentId }, data: settings });
  expect((await renderRecord(prisma, 'environment', environmentId))[0]).toEqual({
    key: publishedKeys.environment(environmentId),
    document: {
      environmentId,
      projectId,
      organizationId,
      kind: 'development',
      settings,
      drmSystems: [{ drmSystem: 'widevine', enabled: true, backend: 'clearkey' }],
    },
  });
});

test("content is rendered under the customer's reference, draft or not, with its license profile", async () => {
  const { environmentId } = tenant;
  const manifests = [{ type: 'dash', url: 'https://media.example.com/42.mpd', drmSystems: ['widevine'] }];
  const keys = [{ keyId: randomUUID(), trackTypes: ['HD'] }];
  const languages = { audioLanguages: ['de'], subtitleLanguages: ['en', 'fr'] };
  const id = await insertContent({ manifests, keys, ...languages, licenseProfileId: await insertProfile() });
  expect(await renderRecord(prisma, 'content', id)).toEqual([
    {
      key: publishedKeys.content(environmentId, 'lesson-{42}'),
      document: {
        contentAssetId: id,
        environmentId,
        contentId: 'lesson-{42}',
        kind: 'vod',
        status: 'draft',
        manifests,
        keys: keys.map((key) => ({ ...key, encryptedKey: null })),
        ...languages,
        licenseProfileName: 'Premium',
      },
    },
  ]);
});

test('a content key is rendered as it is stored, encrypted', async () => {
  const key = { keyId: randomUUID(), trackTypes: ['HD'] };
  const id = await insertContent({ keys: [{ ...key, key: 'v1.first.iv.tag.text' }] });
  expect((await renderRecord(prisma, 'content', id))[0]?.document).toMatchObject({
    keys: [{ ...key, encryptedKey: 'v1.first.iv.tag.text' }],
  });
});

test('content whose content key is not encrypted has no document', async () => {
  // Written directly, because the API would not accept it.
  const key = '5ca1ab1e5ca1ab1e5ca1ab1e5ca1ab1e';
  const id = await insertContent({ keys: [{ keyId: randomUUID(), trackTypes: ['HD'], key }] });
  const error = await renderRecord(prisma, 'content', id).catch((cause: unknown) => cause);
  expect(String(error)).toContain('must be encrypted');
  expect(String(error)).not.toContain(key);
});

test.each([
  ['all environments of its project', true, []],
  ['the environments that it is limited to', false, [randomUUID()]],
  ['no environment, if the last one that it was limited to is archived', false, []],
])('an API client is rendered for %s', async (_name, allEnvironments, environmentIds) => {
  const { projectId, organizationId } = tenant;
  const clientId = randomUUID();
  const permissions = ['license-tokens:create'];
  const expiresAt = new Date('2027-01-01T00:00:00.000Z');
  const id = await insertClient({ clientId, permissions, allEnvironments, environmentIds, expiresAt });
  expect(await renderRecord(prisma, 'apiClient', id)).toEqual([
    {
      key: publishedKeys.apiClient(clientId),
      document: {
        apiClientId: id,
        clientId,
        projectId,
        organizationId,
        accessKeyHashes: ['a'.repeat(64)],
        previousAccessKey: null,
        permissions,
        environmentIds: allEnvironments ? null : environmentIds,
        expiresAt: '2027-01-01T00:00:00.000Z',
      },
    },
  ]);
});

test('an API client is rendered with the previous access key and its expiry', async () => {
  const hash = 'b'.repeat(64);
  const until = new Date('2026-03-01T10:05:00.000Z');
  const id = await insertClient({ previousAccessKeyHash: hash, previousAccessKeyUntil: until });
  const [rendered] = await renderRecord(prisma, 'apiClient', id);
  expect(rendered?.document).toMatchObject({ previousAccessKey: { hash, validUntil: '2026-03-01T10:05:00.000Z' } });
});

test('a license profile is rendered with its rights', async () => {
  const { projectId } = tenant;
  const rights = await prisma.rights.create({
    data: {
      projectId,
      name: 'Rental',
      maximumConcurrentStreams: 2,
      atStreamLimit: 'evict_oldest',
      licenseDurationSeconds: 3_600,
      availableFrom: new Date('2026-01-01T00:00:00.000Z'),
      allowedClientPlatforms: ['android'],
    },
  });
  const id = await insertProfile({ rightsId: rights.id });
  expect(await renderRecord(prisma, 'licenseProfile', id)).toEqual([
    {
      key: publishedKeys.licenseProfile(projectId, 'Premium'),
      document: {
        licenseProfileId: id,
        projectId,
        name: 'Premium',
        maximumHeight: 1080,
        tracks,
        rights: {
          maximumConcurrentStreams: 2,
          atStreamLimit: 'evict-oldest',
          licenseDurationSeconds: 3_600,
          playbackDurationSeconds: null,
          availableFrom: '2026-01-01T00:00:00.000Z',
          availableUntil: null,
          allowedClientPlatforms: ['android'],
        },
      },
    },
  ]);
});

test('a license profile without rights is rendered without any', async () => {
  const [rendered] = await renderRecord(prisma, 'licenseProfile', await insertProfile());
  expect(rendered?.document).toMatchObject({ rights: null });
});

test('an end user is rendered for each active environment of the project', async () => {
  const { projectId, environmentId } = tenant;
  const other = await prisma.environment.create({ data: { projectId, kind: 'staging', name: 'Staging' } });
  await prisma.environment.create({ data: { projectId, kind: 'production', name: 'Old', status: 'archived' } });
  const userId = await insertUser({ status: 'blocked', maximumConcurrentStreams: 7, email: 'ada@example.com' });
  expect(await renderRecord(prisma, 'endUser', userId)).toEqual(
    await Promise.all(
      [environmentId, other.id].sort().map(async (id) => ({
        key: await endUserKey(prisma, id, 'viewer'),
        document: { userId, environmentId: id, status: 'blocked', maximumConcurrentStreams: 7 },
      })),
    ),
  );
});

const archive = { status: 'archived' } as const;
const archiveOrganization = () => prisma.organization.update({ where: { id: tenant.organizationId }, data: archive });
const archiveProject = () => prisma.project.update({ where: { id: tenant.projectId }, data: archive });
const archiveEnvironment = () => prisma.environment.update({ where: { id: tenant.environmentId }, data: archive });
const ownEnvironment = async () => tenant.environmentId;

test.each<[string, keyof typeof batchRenderers, () => Promise<string>, (id: string) => Promise<unknown>]>([
  ['an archived organization', 'organization', async () => tenant.organizationId, archiveOrganization],
  ['an archived environment', 'environment', ownEnvironment, archiveEnvironment],
  ['an environment of an archived project', 'environment', ownEnvironment, archiveProject],
  ['an environment of an archived organization', 'environment', ownEnvironment, archiveOrganization],
  [
    'archived content',
    'content',
    () => insertContent(),
    (id) => prisma.contentAsset.update({ where: { id }, data: archive }),
  ],
  [
    'a revoked API client',
    'apiClient',
    () => insertClient(),
    (id) => prisma.apiClient.update({ where: { id }, data: { revokedAt: new Date() } }),
  ],
  ['an API client of an archived project', 'apiClient', () => insertClient(), archiveProject],
  [
    'an archived license profile',
    'licenseProfile',
    () => insertProfile(),
    (id) => prisma.licenseProfile.update({ where: { id }, data: archive }),
  ],
  [
    'an erased end user',
    'endUser',
    () => insertUser(),
    (id) => prisma.endUser.update({ where: { id }, data: { ...archive, subject: null } }),
  ],
  [
    'an end user that is no longer blocked',
    'endUser',
    () => insertUser(),
    (id) => prisma.endUser.update({ where: { id }, data: { status: 'active' } }),
  ],
  [
    'an active end user that no longer has its own limit',
    'endUser',
    () => insertUser({ status: 'active', maximumConcurrentStreams: 2 }),
    (id) => prisma.endUser.update({ where: { id }, data: { maximumConcurrentStreams: null } }),
  ],
  ['an end user without environments', 'endUser', () => insertUser(), archiveEnvironment],
  ['an end user of an archived organization', 'endUser', () => insertUser(), archiveOrganization],
])('%s has no document', async (_case, kind, insert, end) => {
  const id = await insert();
  expect(await renderRecord(prisma, kind, id)).not.toEqual([]);
  await end(id);
  expect(await renderRecord(prisma, kind, id)).toEqual([]);
});

test.each(Object.keys(batchRenderers) as (keyof typeof batchRenderers)[])(
  'an unknown %s has no document',
  async (kind) => {
    expect(await renderRecord(prisma, kind, randomUUID())).toEqual([]);
  },
);
