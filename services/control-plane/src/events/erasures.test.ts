import { randomUUID } from 'node:crypto';
import { readSlotEvent } from '@multi-drm/slots';
import { packSlotEvent } from '@multi-drm/slots/testing';
import { readSubjectBuckets } from '../publishing/subject-hash-key';
import { Erasing } from '../testing/erasing';

import { insertTenant } from '../testing/insert-tenant';

import { ended, started } from '../testing/slot-events';

import { addRecordEvent } from './event-outbox';
import { OpenSessions } from './open-sessions';

/** Runs work in a process whose clock is a number of milliseconds behind. */
async function withClockBehind<Result>(milliseconds: number, work: () => Promise<Result>): Promise<Result> {
  const { Date: ownDate } = globalThis;
  class DateBehind extends ownDate {
    constructor(value?: number | string | Date) {
      super(value ?? ownDate.now() - milliseconds);
    }
  }
  Object.assign(globalThis, { Date: DateBehind });
  try {
    return await work();
  } finally {
    Object.assign(globalThis, { Date: ownDate });
  }
}

let erasing: Erasing;

beforeAll(async () => {
  erasing = await Erasing.start();
});
beforeEach(() => erasing.beginTest());

test('the sessions of an erased viewer end as terminated, those of others go on', async () => {
  const sessionId = await erasing.reserve();
  await erasing.reserve('another viewer');
  await erasing.erase();
  await erasing.run();
  expect(await erasing.slots.countOf(erasing.environmentId, erasing.subject)).toBe(0);
  expect(await erasing.slots.countOf(erasing.environmentId, 'another viewer')).toBe(1);
  const lists = await Promise.all(
    (await erasing.redis.keys('slot-events:*')).map((key) => erasing.redis.lrangeBuffer(key, 0, -1)),
  );
  const events = lists.flat().map(readSlotEvent);
  expect(events).toContainEqual(expect.objectContaining({ sessionId, kind: 'ended', reason: 'terminated' }));
});

test('a session that Redis has lost cannot come back after the erasure of its viewer', async () => {
  const lost = erasing.session();
  await erasing.store(packSlotEvent(started(lost)));
  await erasing.erase();
  await erasing.run();
  const again = {
    ...lost,
    buckets: await readSubjectBuckets(erasing.prisma),
    startedAt: new Date(lost.startedAt / 1000),
    expiresAt: new Date(lost.expiresAt),
    lifetimeMilliseconds: 3_600_000,
    limit: null,
    organizationIsFull: false,
    grant: Buffer.from('grant'),
  };
  expect(await erasing.slots.restore(again)).toBe('known');
});

test('a viewer that starts again after the erasure keeps its sessions and its name', async () => {
  await erasing.erase();
  await erasing.prisma.erasure.updateMany({ data: { erasedAt: new Date(Date.now() - 60_000) } });
  await erasing.prisma.erasedSubject.updateMany({ data: { erasedAt: new Date(Date.now() - 60_000) } });
  await erasing.reserve();
  await erasing.readSlotEvents();
  await erasing.run();
  expect(await erasing.slots.countOf(erasing.environmentId, erasing.subject)).toBe(1);
  expect(await erasing.events()).toMatchObject([{ subject: erasing.subject }]);
});

test('the subject in events, sessions and the outbox becomes the same random id, and reporting is removed', async () => {
  const own = erasing.session();
  await erasing.store(
    packSlotEvent(started(own)),
    packSlotEvent(started(erasing.session({ subject: 'another viewer' }))),
  );
  await addRecordEvent(
    erasing.prisma,
    { type: 'end_user.blocked', scopeId: erasing.tenant.projectId, subject: erasing.subject },
    { recordType: 'endUser', recordId: erasing.endUserId, changedFields: ['status'] },
  );
  const id = await erasing.erase();
  await erasing.run();
  expect((await erasing.sessions()).map((row) => [row.subject, row.reporting]).sort()).toEqual(
    [
      [id, null],
      ['another viewer', own.details.reporting],
    ].sort(),
  );
  const [one, other] = (await erasing.events()).toSorted((a, b) => Number(a.subject !== id) - Number(b.subject !== id));
  expect(one).toMatchObject({ subject: id, sessionId: own.sessionId });
  expect(one?.data).not.toHaveProperty('reporting');
  expect(other).toMatchObject({ subject: 'another viewer', data: { reporting: own.details.reporting } });
  expect(
    await erasing.prisma.eventOutboxEntry.findFirst({ where: { scopeId: erasing.tenant.projectId } }),
  ).toMatchObject({
    subject: id,
  });
});

test('a minute after an erasure with an active session, nothing that is stored names the viewer', async () => {
  await erasing.reserve();
  await erasing.readSlotEvents();
  await erasing.store(Buffer.concat([packSlotEvent(started(erasing.session())).subarray(0, 120)]));
  const hex = Buffer.from(erasing.subject).toString('hex');
  const before = await erasing.dumpAll();
  expect(before).toContain(erasing.subject);
  expect(before).toContain(hex);
  await erasing.erase();
  await erasing.run();
  await erasing.readSlotEvents();
  await erasing.runLastPass();
  const after = await erasing.dumpAll();
  expect(after).not.toContain(erasing.subject);
  expect(after).not.toContain(hex);
  expect(await erasing.sessions()).toMatchObject([{ endReason: 'terminated' }]);
});

test('hashes of erased viewers are removed after a week', async () => {
  await erasing.erase();
  await erasing.prisma.erasedSubject.updateMany({ data: { erasedAt: new Date(Date.now() - 8 * 86_400_000) } });
  await erasing.run();
  expect(await erasing.prisma.erasedSubject.count({ where: { environmentId: erasing.environmentId } })).toBe(0);
});

test('an erased viewer is counted among the viewers of its days without its name, and a new one with the same subject beside it', async () => {
  const before = { startedAt: (Date.now() - 3_600_000) * 1000 };
  await erasing.store(
    packSlotEvent(ended(erasing.session(before))),
    packSlotEvent(ended(erasing.session({ ...before, subject: 'another viewer' }))),
  );
  const id = await erasing.erase();
  await erasing.run();
  const viewers = async () =>
    (await erasing.prisma.viewerDay.findMany({ where: { environmentId: erasing.environmentId } })).map(
      (viewer) => viewer.subject,
    );
  expect((await viewers()).sort()).toEqual([id, 'another viewer'].sort());
  await erasing.store(packSlotEvent(started(erasing.session({ startedAt: (Date.now() + 11_000) * 1000 }))));
  await erasing.runLastPass();
  expect((await viewers()).sort()).toEqual([id, 'another viewer', erasing.subject].sort());
});

test('an erasure by a process whose clock is a minute behind ends the sessions, and the first pass is not the last one', async () => {
  await erasing.reserve();
  await erasing.readSlotEvents();
  const id = await withClockBehind(60_000, () => erasing.erase());
  await erasing.run();
  expect(await erasing.prisma.erasure.count()).toBe(1);
  expect(await erasing.slots.countOf(erasing.environmentId, erasing.subject)).toBe(0);
  expect(await erasing.events()).toMatchObject([{ subject: id }]);
});

test('with a Redis whose clock is an hour ahead, sessions until the erasure are of the erased viewer, later ones are not', async () => {
  const hour = 3_600_000;
  const startedAt = (seconds: number) => ({ startedAt: (Date.now() + hour + seconds * 1_000) * 1_000 });
  const [stored, storedLater, later] = [-20, -10, 20].map((seconds) => erasing.session(startedAt(seconds)));
  if (!stored || !storedLater || !later) throw new Error('three sessions');
  await erasing.store(packSlotEvent(started(stored)));
  const id = await erasing.erase();
  await erasing.run(async () => new Date(Date.now() + hour));
  await erasing.store(packSlotEvent(started(storedLater)), packSlotEvent(started(later)));
  expect((await erasing.events()).map(({ subject }) => subject)).toEqual([id, id, erasing.subject]);
});

test('events of the erased record become anonymous whatever their times, those of a new one with the same subject do not', async () => {
  const { prisma, tenant, subject, endUserId } = erasing;
  const blocked = { type: 'end_user.blocked', scopeId: tenant.projectId, subject } as const;
  const later = randomUUID();
  const id = await erasing.erase();
  for (const recordId of [endUserId, later]) {
    await addRecordEvent(prisma, blocked, { recordType: 'endUser', recordId, changedFields: ['status'] });
  }
  await prisma.$executeRaw`UPDATE event_outbox SET time = now() + interval '2 seconds'`;
  await erasing.run();
  const entries = await prisma.eventOutboxEntry.findMany({ where: { scopeId: tenant.projectId } });
  expect(new Map(entries.map((entry) => [Object(entry.data).recordId, entry.subject]))).toEqual(
    new Map([
      [endUserId, id],
      [later, subject],
    ]),
  );
});

test('a session whose end is looked up while its viewer is erased ends without the subject', async () => {
  const { pool, prisma, redis } = erasing;
  const ago = (seconds: number) => Date.now() - seconds * 1_000;
  await erasing.store(packSlotEvent(started(erasing.session({ startedAt: ago(3_600) * 1_000, expiresAt: ago(120) }))));
  // Redis has not had it for as long as it lasts, so the look-up ends it.
  await prisma.session.updateMany({ data: { missingSince: new Date(ago(3_600)) } });
  let id = '';
  const readBuckets = async () => {
    id = await erasing.erase();
    await erasing.runLastPass();
    return readSubjectBuckets(prisma);
  };
  await new OpenSessions({ pool, redis, readBuckets, sessionIdRetentionSeconds: 86_400 }).lookUp();
  expect(await erasing.events()).toMatchObject([
    { type: 'session.started', subject: id },
    { type: 'session.ended', subject: id, data: { reporting: null } },
  ]);
});

test('of the entries set aside, those of the erased viewer are deleted, those of others in any environment stay', async () => {
  const { prisma } = erasing;
  const elsewhere = await insertTenant(prisma);
  // There are no partitions that late.
  const startedAt = (Date.now() + 20 * 86_400_000) * 1_000;
  const viewer = erasing.session({ startedAt, subject: '1' });
  const other = erasing.session({ startedAt, subject: '11' });
  const namesake = erasing.session({ startedAt, subject: '1', environmentId: elsewhere.environmentId });
  const events = [viewer, other, namesake].map((session) => packSlotEvent(started(session)));
  const cutOff = packSlotEvent(started(viewer)).subarray(0, 120);
  expect(await erasing.store(...events, cutOff)).toMatchObject({ setAside: 4 });
  await erasing.erase('1');
  await erasing.run();
  const left = (await prisma.eventSetAside.findMany()).map(({ entry }) => Buffer.from(entry).toString('hex'));
  expect(left.sort()).toEqual(
    events
      .slice(1)
      .map((bytes) => bytes.toString('hex'))
      .sort(),
  );
});
