import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { publishedKeys } from '@multi-drm/contracts';
import type { PrismaClient } from '../generated/prisma/client';
import { endUserKey } from '../testing/end-user-key';
import { insertTenant } from '../testing/insert-tenant';
import { withoutMark } from '../testing/publishing-store';
import { type LogEntry, recordingLogger } from '../testing/recording-logger';
import { openDatabase } from '../testing/test-database';
import { type DocumentWriter, RedisFull, RedisUnavailable } from './document-writer';
import { addEntriesForEndUsers, addOutboxEntry } from './outbox-entries';
import { PendingDocuments } from './pending-documents';

let prisma: PrismaClient;
let log: LogEntry[];
let monotonic = 0;
/** Keys in the order in which they were written. */
let written: string[];

beforeAll(async () => {
  ({ prisma } = await openDatabase());
});

beforeEach(async () => {
  await prisma.outboxEntry.deleteMany();
  log = [];
  written = [];
});

const record: DocumentWriter = async ({ key }) => {
  written.push(key);
  return null;
};

function pendingDocuments(write: DocumentWriter = record): PendingDocuments {
  const store = { prisma, write, mark: withoutMark, logger: recordingLogger(log) };
  const clocks = { now: () => new Date(2e12 - monotonic), monotonicNow: () => monotonic }; // set back all the time
  return new PendingDocuments({ ...store, ...clocks, random: () => 0.5 });
}

async function insertContent(environmentId: string, count: number): Promise<string[]> {
  const common = { environmentId, kind: 'vod' as const, title: 'Lesson' };
  const records = Array.from({ length: count }, () => ({ ...common, id: randomUUID(), contentId: randomUUID() }));
  await prisma.contentAsset.createMany({ data: records });
  await prisma.outboxEntry.createMany({
    data: records.map(({ id }) => ({ documentKind: 'content' as const, documentId: id })),
  });
  return records.map(({ contentId }) => publishedKeys.content(environmentId, contentId));
}

/** An environment's own key, and that of the license backend of its one DRM system. */
const environmentKeys = (id: string) => [publishedKeys.environment(id), publishedKeys.licenseBackend(id, 'widevine')];

test('children are published after their parents, whatever the order of the changes', async () => {
  const { organizationId, projectId, environmentId } = await insertTenant(prisma);
  const clientId = randomUUID();
  const client = await prisma.apiClient.create({
    data: { projectId, clientId, name: 'LMS', accessKeyHash: 'a'.repeat(64), allEnvironments: true },
  });
  await addOutboxEntry(prisma, 'apiClient', client.id);
  const [content] = await insertContent(environmentId, 1);
  await addOutboxEntry(prisma, 'environment', environmentId);
  await addOutboxEntry(prisma, 'organization', organizationId);
  await pendingDocuments().publish();
  expect(written).toEqual([
    publishedKeys.organization(organizationId),
    ...environmentKeys(environmentId),
    content,
    publishedKeys.apiClient(clientId),
  ]);
});

test('documents that a request waits for are published first, even during a backlog', async () => {
  const { environmentId } = await insertTenant(prisma);
  const keys = await insertContent(environmentId, 60);
  const urgent = await prisma.contentAsset.findMany({ where: { environmentId }, orderBy: { id: 'desc' }, take: 2 });
  const [last, next] = urgent.map(({ id, contentId }) => ({
    document: { documentKind: 'content' as const, documentId: id },
    key: publishedKeys.content(environmentId, contentId),
  }));
  const pending = pendingDocuments(async (publication) => {
    if (written.length === 2 && next !== undefined) pending.prioritize([next.document]);
    return record(publication);
  });
  if (last !== undefined) pending.prioritize([last.document]);
  await pending.publish();
  // Between the first page, of 50, and the second one.
  expect([written[0], written[51]]).toEqual([last?.key, next?.key]);
  expect(written.toSorted()).toEqual(keys.toSorted());
});

test('any number of changes is published, each record once', async () => {
  const { environmentId } = await insertTenant(prisma);
  const keys = await insertContent(environmentId, 120);
  await pendingDocuments().publish();
  expect(written.toSorted()).toEqual(keys.toSorted());
  expect(await prisma.outboxEntry.count()).toBe(0);
});

test('a record without a valid document is logged once, keeps its outbox entries, and does not hold up others', async () => {
  const { environmentId } = await insertTenant(prisma);
  await insertContent(environmentId, 3);
  const [poisoned] = await prisma.contentAsset.findMany({ where: { environmentId }, orderBy: { id: 'asc' } });
  const id = poisoned?.id ?? '';
  await prisma.contentAsset.update({ where: { id }, data: { manifests: 'none' } });
  const pending = pendingDocuments();
  await pending.publish();
  monotonic += 60_000;
  await pending.publish();
  expect(written).toHaveLength(2);
  expect(await prisma.outboxEntry.findMany({ select: { documentId: true } })).toEqual([{ documentId: id }]);
  expect(log).toEqual([
    {
      level: 'error',
      message: 'a document cannot be published',
      fields: expect.objectContaining({ document: `content ${id}` }),
    },
  ]);
});

test('a record that could not be published is retried, but not at once, even if the clock is set back', async () => {
  const { environmentId } = await insertTenant(prisma);
  const [key] = await insertContent(environmentId, 1);
  let refusals = 0;
  const pending = pendingDocuments(async (publication) => {
    if (refusals > 0) return record(publication);
    refusals += 1;
    throw new Error('refused');
  });
  await pending.publish();
  await pending.publish();
  expect(written).toEqual([]);
  monotonic += 200;
  await pending.publish();
  expect(written).toEqual([key]);
});

test('documents without room in a full Redis are logged once a minute, and do not hold up others', async () => {
  const { environmentId } = await insertTenant(prisma);
  const keys = await insertContent(environmentId, 4);
  const added = keys.slice(0, 2);
  const pending = pendingDocuments(async (publication) => {
    if (added.includes(publication.key)) throw new RedisFull();
    return record(publication);
  });
  for (const seconds of [0, 6, 61]) {
    monotonic += seconds * 1000;
    await pending.publish();
  }
  expect(new Set(written)).toEqual(new Set(keys.slice(2)));
  expect(await prisma.outboxEntry.count()).toBe(2);
  expect(log.map(({ level, message }) => `${level}: ${message}`)).toEqual(
    Array(2).fill('error: Redis is full: new documents are not published'),
  );
});

test('a document that could not be published is retried at once when a request waits for it', async () => {
  const { environmentId } = await insertTenant(prisma);
  const [key] = await insertContent(environmentId, 1);
  let full = true;
  const pending = pendingDocuments(async (publication) => {
    if (full) throw new RedisFull();
    return record(publication);
  });
  await pending.publish();
  full = false;
  const { id } = await prisma.contentAsset.findFirstOrThrow({ where: { environmentId } });
  pending.prioritize([{ documentKind: 'content', documentId: id }]);
  await pending.publish();
  expect(written).toEqual([key]);
});

test('the documents of a kind are published together, and none of the next kind before them', async () => {
  const { environmentId } = await insertTenant(prisma);
  const keys = await insertContent(environmentId, 8);
  await addOutboxEntry(prisma, 'environment', environmentId);
  const revisions = new Set<bigint>();
  await pendingDocuments(async (publication) => {
    revisions.add(publication.revision);
    return record(publication);
  }).publish();
  expect(revisions.size).toBe(2);
  expect(written.slice(0, 2)).toEqual(environmentKeys(environmentId));
  expect(written.slice(2).toSorted()).toEqual(keys.toSorted());
});

test('individual changes come before the remaining bulk entries', async () => {
  const { organizationId, environmentId } = await insertTenant(prisma);
  await insertContent(environmentId, 500);
  await prisma.outboxEntry.updateMany({ data: { bulk: true } });
  await pendingDocuments(async (publication) => {
    if (written.length === 0) await addOutboxEntry(prisma, 'organization', organizationId);
    return record(publication);
  }).publish();
  expect(written).toHaveLength(501);
  expect(written.indexOf(publishedKeys.organization(organizationId))).toBeLessThanOrEqual(200);
});

test('a new environment is published once no end user of its project is pending', async () => {
  const { projectId, environmentId } = await insertTenant(prisma);
  const subjects = Array.from({ length: 60 }, () => randomUUID());
  await prisma.endUser.createMany({
    data: subjects.map((subject) => ({ projectId, subject, status: 'blocked' as const })),
  });
  await prisma.$transaction(async (transaction) => {
    await addEntriesForEndUsers(transaction, projectId);
    await addOutboxEntry(transaction, 'environment', environmentId);
  });
  await pendingDocuments().publish();
  expect(written).toHaveLength(62);
  expect(written.slice(-2)).toEqual(environmentKeys(environmentId));
});

test('for a new environment, only the end users that playback must know are published', async () => {
  const { projectId, environmentId } = await insertTenant(prisma);
  const users = Array.from({ length: 20 }, () => ({ projectId, subject: randomUUID() }));
  await prisma.endUser.createMany({
    data: [
      ...users,
      { projectId, subject: 'limited', maximumConcurrentStreams: 1 },
      { projectId, subject: 'blocked', status: 'blocked' },
    ],
  });
  await prisma.$transaction(async (transaction) => {
    await addEntriesForEndUsers(transaction, projectId);
    await addOutboxEntry(transaction, 'environment', environmentId);
  });
  await pendingDocuments().publish();
  const known = await Promise.all(['limited', 'blocked'].map((subject) => endUserKey(prisma, environmentId, subject)));
  expect(written.toSorted()).toEqual([...known, ...environmentKeys(environmentId)].toSorted());
});

test('a new environment waits for an end user that cannot be published, and an old one does not', async () => {
  const { projectId, environmentId } = await insertTenant(prisma);
  await prisma.endUser.create({ data: { projectId, subject: 'viewer', status: 'blocked' } });
  const pending = pendingDocuments(async (publication) => {
    if (publication.key.startsWith('published:viewer:')) throw new Error('refused');
    return record(publication);
  });
  await prisma.$transaction(async (transaction) => {
    await addEntriesForEndUsers(transaction, projectId);
    await addOutboxEntry(transaction, 'environment', environmentId);
  });
  await pending.publish();
  expect(written).toEqual([]);
  await prisma.publishedDocument.updateMany({ where: { documentId: environmentId }, data: { revision: 1 } });
  await pending.publish();
  expect(written).toEqual(environmentKeys(environmentId));
});

test('an end user created concurrently with an environment is published for it', async () => {
  const { projectId } = await insertTenant(prisma);
  let made: Promise<unknown> = Promise.resolve();
  const environment = await prisma.$transaction(async (transaction) => {
    await addEntriesForEndUsers(transaction, projectId);
    const data = { projectId, kind: 'staging', name: 'Staging', maximumConcurrentStreams: 3 } as const;
    const created = await transaction.environment.create({ data });
    made = prisma.$transaction(async (other) => {
      const user = await other.endUser.create({ data: { projectId, subject: 'viewer', status: 'blocked' } });
      await addOutboxEntry(other, 'endUser', user.id);
    });
    // It cannot be published before the environment is visible: it waits for this commit.
    expect(await Promise.race([made.then(() => 'made'), delay(100, 'waits')])).toBe('waits');
    await addOutboxEntry(transaction, 'environment', created.id);
    return created;
  });
  await made;
  await pendingDocuments().publish();
  expect(written).toContain(await endUserKey(prisma, environment.id, 'viewer'));
});

test('an outage ends the attempt at once and leaves every outbox entry', async () => {
  const { organizationId, environmentId } = await insertTenant(prisma);
  await insertContent(environmentId, 3);
  await addOutboxEntry(prisma, 'organization', organizationId);
  let attempts = 0;
  const pending = pendingDocuments(() => {
    attempts += 1;
    throw new RedisUnavailable(new Error('refused'));
  });
  await expect(pending.publish()).rejects.toBeInstanceOf(RedisUnavailable);
  expect(attempts).toBe(1);
  expect(await prisma.outboxEntry.count()).toBe(4);
  expect(log).toEqual([]);
});

test('once stopped it starts no further document', async () => {
  const { organizationId, environmentId } = await insertTenant(prisma);
  await insertContent(environmentId, 3);
  await addOutboxEntry(prisma, 'organization', organizationId);
  await pendingDocuments().publish(() => written.length === 1);
  expect(written).toEqual([publishedKeys.organization(organizationId)]);
  expect(await prisma.outboxEntry.count()).toBe(3);
});
