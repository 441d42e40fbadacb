import { randomUUID } from 'node:crypto';
import { publishedKeys } from '@multi-drm/contracts';
import type { RedisClient } from '@multi-drm/service-kit';
import type { PrismaClient } from '../generated/prisma/client';
import { endUserKey } from '../testing/end-user-key';
import { type InsertedTenant, insertTenant } from '../testing/insert-tenant';
import { publishRecord } from '../testing/publish-record';
import { publishingStore } from '../testing/publishing-store';
import { connectToRedis } from '../testing/redis';
import { openDatabase } from '../testing/test-database';
import { addOutboxEntry } from './outbox-entries';

let prisma: PrismaClient;
let redis: RedisClient;
let tenant: InsertedTenant;

beforeAll(async () => {
  ({ prisma } = await openDatabase());
  redis = await connectToRedis();
  tenant = await insertTenant(prisma);
});
afterAll(() => redis.disconnect());

async function addUser(subject: string): Promise<string> {
  const { id } = await prisma.endUser.create({ data: { projectId: tenant.projectId, subject, status: 'blocked' } });
  await addOutboxEntry(prisma, 'endUser', id);
  return id;
}
async function erase(id: string): Promise<void> {
  await prisma.endUser.update({ where: { id }, data: { subject: null, status: 'archived' } });
  await addOutboxEntry(prisma, 'endUser', id);
}
const publishAs = (documentKind: 'endUser' | 'licenseProfile', documentId: string) =>
  publishRecord({ prisma, now: () => new Date(), ...publishingStore(redis) }, { documentKind, documentId });
const publish = (documentId: string) => publishAs('endUser', documentId);
const keyOf = (subject: string) => endUserKey(prisma, tenant.environmentId, subject);
const read = async (subject: string) => redis.hget(await keyOf(subject), 'document');

test('an erased user leaves a tombstone that expires, and no subject in the database', async () => {
  const subject = randomUUID();
  const id = await addUser(subject);
  await publish(id);
  await erase(id);
  await publish(id);
  expect(await read(subject)).toBe('');
  expect(await redis.ttl(await keyOf(subject))).toBeGreaterThan(600_000);
  const rows = await prisma.publishedDocument.findMany({ where: { documentId: id } });
  expect(JSON.stringify(rows.map(({ keys }) => keys))).not.toContain(subject);
});

test('a new user with the subject of an erased one is published again if the tombstone arrived last', async () => {
  const subject = randomUUID();
  const erased = await addUser(subject);
  await publish(erased);
  await erase(erased);
  const successor = await addUser(subject);
  await publish(successor);
  await publish(erased);
  await publish(successor);
  expect(JSON.parse((await read(subject)) ?? '')).toMatchObject({ userId: successor, status: 'blocked' });
  expect(await redis.ttl(await keyOf(subject))).toBe(-1);
});

test('a name that one license profile gave up and another one took stays with the new one', async () => {
  const profile = (name: string) => ({ projectId: tenant.projectId, name, maximumHeight: 1080, tracks: [] });
  const publishProfile = async (documentId: string) => {
    await addOutboxEntry(prisma, 'licenseProfile', documentId);
    await publishAs('licenseProfile', documentId);
  };
  const name = randomUUID();
  const key = publishedKeys.licenseProfile(tenant.projectId, name);
  const { id: first } = await prisma.licenseProfile.create({ data: profile(name) });
  await publishProfile(first);
  await prisma.licenseProfile.update({ where: { id: first }, data: { name: `${name} renamed` } });
  const { id: second } = await prisma.licenseProfile.create({ data: profile(name) });
  await publishProfile(second);
  await publishProfile(first); // its tombstone comes last, and adds an outbox entry for the other one
  expect(await prisma.outboxEntry.count({ where: { documentId: second } })).toBe(1);
  await publishProfile(second);
  await publishProfile(first);
  expect(JSON.parse((await redis.hget(key, 'document')) ?? '')).toMatchObject({ licenseProfileId: second });
});
