import { publishedKeys } from '@multi-drm/contracts';
import type { Prisma, PrismaClient } from '../generated/prisma/client';
import { type InsertedTenant, insertTenant } from '../testing/insert-tenant';
import { openDatabase } from '../testing/test-database';
import { renderRecord } from './renderers';

let prisma: PrismaClient;
let tenant: InsertedTenant;

beforeAll(async () => {
  ({ prisma } = await openDatabase());
  tenant = await insertTenant(prisma);
});

const rendered = async () => (await renderRecord(prisma, 'environment', tenant.environmentId)).slice(1);
const configure = (data: Prisma.EnvironmentDrmSystemUpdateManyMutationInput) =>
  prisma.environmentDrmSystem.updateMany({ where: { environmentId: tenant.environmentId }, data });

test('a license backend is rendered with its environment, with its secrets as stored', async () => {
  const { environmentId } = tenant;
  const settings = { url: 'https://x.example', headers: { 'X-Tenant': 'acme' } };
  const encryptedSecrets = { secretHeaders: 'v1.first.iv.tag.text' };
  const updatedAt = new Date('2026-03-01T10:00:00.000Z');
  await configure({ backend: 'http', backendSettings: settings, backendSecrets: encryptedSecrets, updatedAt });
  expect(await rendered()).toEqual([
    {
      key: publishedKeys.licenseBackend(environmentId, 'widevine'),
      document: {
        environmentId,
        drmSystem: 'widevine',
        enabled: true,
        backend: { type: 'http', settings, encryptedSecrets },
        certificate: null,
        settingsVersion: `1-${updatedAt.getTime()}`,
      },
    },
  ]);
});

test('a license backend is null if none is configured, even with a certificate', async () => {
  await configure({ enabled: false, backend: null, certificate: 'MIIB' });
  expect((await rendered())[0]?.document).toMatchObject({ enabled: false, backend: null, certificate: 'MIIB' });
});

test('an environment has no document if a secret of a backend is not encrypted', async () => {
  await configure({ backend: 'axinom', backendSecrets: { communicationKey: 'hidden' } });
  const error = await rendered().catch((cause: unknown) => cause);
  expect(String(error)).toContain('must be encrypted');
  expect(String(error)).not.toContain('hidden');
});
