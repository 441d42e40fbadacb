import { setTimeout as delay } from 'node:timers/promises';
import { startControlPlane, type TestControlPlane } from '../testing/control-plane';
import { insertTenant } from '../testing/insert-tenant';
import { requireUnarchived } from './require-unarchived';

let controlPlane: TestControlPlane;
beforeAll(async () => {
  controlPlane = await startControlPlane();
});

const conflict = (noun: string) =>
  expect.objectContaining({ code: 'conflict', detail: `The ${noun} is archived: it can be read but not changed.` });

test('an active record allows creating a child', async () => {
  const { organizationId, projectId, environmentId } = await insertTenant(controlPlane.prisma);
  await controlPlane.prisma.$transaction(async (transaction) => {
    await requireUnarchived(transaction, 'organization', organizationId);
    await requireUnarchived(transaction, 'project', projectId.toUpperCase());
    await requireUnarchived(transaction, 'environment', environmentId);
  });
});

test('a create waits for an uncommitted archiving of its parent, and is then rejected', async () => {
  const { projectId } = await insertTenant(controlPlane.prisma);
  let create: Promise<unknown> = Promise.resolve();
  await controlPlane.prisma.$transaction(async (transaction) => {
    await transaction.project.update({ where: { id: projectId }, data: { status: 'archived' } });
    create = controlPlane.prisma
      .$transaction((other) => requireUnarchived(other, 'project', projectId))
      .catch((e) => e);
    await delay(50); // so that the other transaction waits for the lock
  });
  expect(await create).toEqual(conflict('project'));
});

test('a record is not archived before the creation of its child is committed', async () => {
  const { environmentId } = await insertTenant(controlPlane.prisma);
  const order: string[] = [];
  let archive: Promise<unknown> = Promise.resolve();
  await controlPlane.prisma.$transaction(async (transaction) => {
    await requireUnarchived(transaction, 'environment', environmentId);
    archive = controlPlane.prisma.environment
      .update({ where: { id: environmentId }, data: { status: 'archived' } })
      .then(() => order.push('archived'));
    await delay(50);
    order.push('created');
  });
  await archive;
  expect(order).toEqual(['created', 'archived']);
});
