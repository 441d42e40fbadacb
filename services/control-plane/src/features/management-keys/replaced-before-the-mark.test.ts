import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startControlPlane, type TestControlPlane } from '../../testing/control-plane';
import { bearer, createTenant } from '../../testing/records';

const migration = join(__dirname, '../../../prisma/migrations/20261128024000_replaced_management_keys/migration.sql');

let controlPlane: TestControlPlane;
beforeAll(async () => {
  controlPlane = await startControlPlane();
});

test('the migration sets replaced_at for keys that were rotated before the column existed, and for no others', async () => {
  const { prisma, api, clock } = controlPlane;
  const { organizationId, key } = await createTenant(controlPlane);
  const [owner] = await prisma.managementKey.findMany({ where: { organizationId } });
  const rotatedAt = clock.now;
  const { body } = await api
    .post(`/api/v1/management/management-keys/${owner?.id}/rotate`)
    .set(bearer(key))
    .send({ overlapSeconds: 60 })
    .expect(200);

  await prisma.$executeRaw`ALTER TABLE management_key DROP COLUMN replaced_at`;
  for (const statement of (await readFile(migration, 'utf8')).split(';')) {
    if (/^[A-Z]/m.test(statement)) await prisma.$executeRawUnsafe(statement);
  }

  const keys = await prisma.managementKey.findMany({ where: { organizationId }, orderBy: { id: 'asc' } });
  expect(keys).toMatchObject([
    { id: owner?.id, replacedAt: rotatedAt },
    { id: body.keyId, replacedAt: null },
  ]);
});
