import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startControlPlane, type TestControlPlane } from '../../testing/control-plane';
import { createLicenseProfile } from '../../testing/license-records';
import { bearer, createTenant } from '../../testing/records';

const migration = join(__dirname, '../../../prisma/migrations/20261128132000_archived_with_project/migration.sql');

let controlPlane: TestControlPlane;
beforeAll(async () => {
  controlPlane = await startControlPlane();
});

test('projects archived before the column existed are restored with the environments that were archived with them', async () => {
  const { prisma, api, clock } = controlPlane;
  const tenant = await createTenant(controlPlane);
  const call = (method: 'post' | 'delete', path: string) =>
    api[method](`/api/v1/management/${path}`).set(bearer(tenant.key));
  const licenseProfileId = await createLicenseProfile(controlPlane, tenant, 'Premium');
  await call('delete', `environments/${tenant.development}`).expect(204);
  clock.now = new Date(clock.now.getTime() + 1_000);
  await call('delete', `projects/${tenant.projectId}`).expect(204);
  // Formerly, the default profile of an environment could be archived if the project was archived.
  const data = { defaultLicensePolicyTemplate: 'Premium' };
  await prisma.environment.update({ where: { id: tenant.production }, data: { ...data, updatedAt: clock.now } });
  await prisma.licenseProfile.update({ where: { id: licenseProfileId }, data: { status: 'archived' } });

  await prisma.$executeRaw`ALTER TABLE environment DROP COLUMN archived_with_project`;
  for (const statement of (await readFile(migration, 'utf8')).split(';')) {
    if (/^[A-Z]/m.test(statement)) await prisma.$executeRawUnsafe(statement);
  }

  await call('post', `projects/${tenant.projectId}/restore`).expect(200);
  const environments = await prisma.environment.findMany({
    where: { projectId: tenant.projectId },
    orderBy: { kind: 'asc' },
  });
  expect(environments).toMatchObject([
    { id: tenant.development, status: 'archived' },
    { id: tenant.production, status: 'active', defaultLicensePolicyTemplate: null },
  ]);
});
