import { dumpDatabase } from '@multi-drm/test-kit';
import { hashOf } from '../access/credentials';
import { startControlPlane, type TestControlPlane } from './control-plane';
import { createTenant, registerTenant, type TestTenant } from './records';
import { copyTenant, readNewTenant } from './tenant-copies';

const uuid = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g;

/** The rows of the database that are not among others, with names for what differs between tenants. */
async function rowsSince(before: string[], controlPlane: TestControlPlane, { key }: TestTenant) {
  const lines = (await linesOf(controlPlane)).filter((line) => !before.includes(line));
  return lines
    .map((line) =>
      line
        .replaceAll(uuid, '<id>')
        .replaceAll(hashOf(key), '<hash>')
        .replaceAll(key.slice(0, 10), '<prefix>')
        .replace(/"certificate":"[^"]+"/, '"certificate":<certificate>')
        .replace(/(outbox_entry\t\{"id":)\d+(.*"created_at":)"[^"]*"/, '$1<nth>$2<time>'),
    )
    .sort();
}

const linesOf = async ({ databaseUrl }: TestControlPlane) => (await dumpDatabase(databaseUrl)).split('\n');

test('a copied tenant has the rows of one that registers, with the current time', async () => {
  const controlPlane = await startControlPlane();
  const { prisma, clock } = controlPlane;
  const first = await registerTenant(controlPlane);
  const read = await readNewTenant(prisma, first, clock.now);

  clock.now = new Date('2026-03-01T11:00:00.120Z');
  const before = await linesOf(controlPlane);
  const copy = await copyTenant(prisma, read, clock.now);
  const copied = await rowsSince(before, controlPlane, copy);

  const beforeRegistration = await linesOf(controlPlane);
  const registered = await registerTenant(controlPlane);
  expect(copied).toEqual(await rowsSince(beforeRegistration, controlPlane, registered));
});

test('tenants have ids and keys of their own, in the order in which they were created', async () => {
  const controlPlane = await startControlPlane();
  const tenants = [
    await createTenant(controlPlane),
    await createTenant(controlPlane),
    await createTenant(controlPlane),
  ];
  const ids = tenants.map(({ organizationId }) => organizationId);
  expect(ids).toEqual([...new Set(ids)].sort());
  for (const { key, projectId, development, production } of tenants) {
    const { body } = await controlPlane.api
      .get(`/api/v1/management/projects/${projectId}/environments`)
      .set({ Authorization: `Bearer ${key}` })
      .expect(200);
    expect(body.map(({ environmentId }: { environmentId: string }) => environmentId)).toEqual([
      development,
      production,
    ]);
  }
});
