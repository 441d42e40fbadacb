import { randomUUID } from 'node:crypto';
import { OrganizationStreams, pack, RedisClock, RedisSlotStore, slotKeys, streamMember } from '@multi-drm/slots';
import { newRequest } from '@multi-drm/slots/testing';
import { partitionedTables } from '../database/partitions';
import { eventId } from '../events/event-id';
import type { PrismaClient } from '../generated/prisma/client';
import { readSubjectBuckets } from '../publishing/subject-hash-key';
import type { TestControlPlane } from './control-plane';

/** The details of every session that these functions make. */
const details = {
  contentId: 'demo-movie',
  contentType: 'vod',
  drmSystem: 'widevine',
  applicationId: 'web-shop',
} as const;

interface StoredSession {
  sessionId?: string;
  reservationId?: string;
  subject?: string;
  contentId?: string;
  startedAt?: Date;
  endedAt?: Date | null;
}

/** Adds the partitions of a day, unless they are there. */
export async function addPartitionsOf(prisma: PrismaClient, time: Date): Promise<void> {
  const day = time.toISOString().slice(0, 10);
  for (const table of partitionedTables) {
    await prisma.$executeRawUnsafe(`CREATE TABLE IF NOT EXISTS "${table}_${day.replaceAll('-', '')}"
      PARTITION OF "${table}" FOR VALUES FROM ('${day}T00:00:00Z') TO ('${day}T00:00:00Z'::timestamptz + interval '1 day')`);
  }
}

/** Stores a session as the reader of events does: one that has ended, unless `endedAt` is null. Returns its id. */
export async function storeSession(prisma: PrismaClient, environmentId: string, session: StoredSession = {}) {
  const {
    sessionId = randomUUID(),
    reservationId = randomUUID(),
    subject = 'viewer-17',
    contentId = details.contentId,
    startedAt = new Date('2026-03-01T09:00:00.000Z'),
    endedAt = new Date(startedAt.getTime() + 1_800_000),
  } = session;
  await addPartitionsOf(prisma, startedAt);
  await prisma.session.create({
    data: {
      ...details,
      contentId,
      clientPlatform: 'web',
      environmentId,
      sessionId,
      reservationId,
      subject,
      startedAt,
      startedMicroseconds: 0,
      expiresAt: new Date(startedAt.getTime() + 14_400_000),
      ...(endedAt === null ? {} : { endedAt, endReason: 'released', licenseRequests: 1 }),
    },
  });
  return sessionId;
}

interface StoredEvent {
  id?: string;
  type?: string;
  time?: Date;
  subject?: string;
  sessionId?: string;
  contentId?: string;
  reservationId?: string;
  /** Of a license. */
  code?: string;
  drmSystem?: string;
  /** Of a license that the sandbox has refused. */
  sandbox?: true;
  /** By default long ago. */
  storedAt?: Date;
}

/** Stores an event as the reader of events does: by default, the end of a session. Returns its id. */
export async function storeEvent(prisma: PrismaClient, scopeId: string, event: StoredEvent = {}): Promise<string> {
  const { type = 'session.ended', time = new Date('2026-03-01T09:30:00.000Z') } = event;
  const { id = eventId(time.getTime() * 1000, randomUUID()), storedAt = time } = event;
  await addPartitionsOf(prisma, time);
  await prisma.event.create({ data: { id, type, time, scopeId, storedAt, ...columnsOf(type, event) } });
  return id;
}

function columnsOf(type: string, { subject = 'viewer-17', ...event }: StoredEvent) {
  if (type.startsWith('license.')) {
    const { code = null, drmSystem = details.drmSystem, sandbox } = event;
    const { contentId, ...request } = details;
    const outcome = { backend: 'axinom', code, vendorStatus: null, milliseconds: 80, count: 2 };
    const mark = sandbox === undefined ? {} : { sandbox };
    const data = { ...request, clientPlatform: 'web', ...outcome, drmSystem, ...mark };
    return { subject, sessionId: randomUUID(), reservationId: randomUUID(), contentId, data };
  }
  if (!type.startsWith('session.')) {
    const data = { recordType: 'endUser', recordId: randomUUID(), changedFields: ['status'] };
    return { subject: type.startsWith('end_user.') ? subject : null, data };
  }
  const {
    sessionId = randomUUID(),
    reservationId = randomUUID(),
    contentId: sessionContentId = details.contentId,
  } = event;
  const { contentId: _, ...otherDetails } = details;
  const startedAt = '2026-03-01T09:00:00.000Z';
  const typeDetails =
    type === 'session.ended'
      ? { reason: 'released', endedAt: '2026-03-01T09:30:00.000Z', durationSeconds: 1800, licenseRequests: 1 }
      : { expiresAt: '2026-03-01T13:00:00.000Z' };
  const data = { ...otherDetails, clientPlatform: 'web', attemptId: null, reporting: null, startedAt, ...typeDetails };
  return { subject, sessionId, reservationId, contentId: sessionContentId, data };
}

/** The slots as playback has them. */
export async function slotsOf({ prisma, redis }: Pick<TestControlPlane, 'prisma' | 'redis'>) {
  const buckets = await readSubjectBuckets(prisma);
  const options = {
    idempotentRepeatSeconds: 0,
    sessionIdRetentionSeconds: 86_400,
    buckets: () => buckets,
    eventBytes: () => 1024 * 1024,
  };
  return { store: new RedisSlotStore(redis, options), buckets };
}

/** Starts a session at playback: the slot that it holds in Redis. An earlier one with the id is forgotten. Returns its reservation. */
export async function startSession(
  controlPlane: Pick<TestControlPlane, 'prisma' | 'redis'>,
  environmentId: string,
  { subject, sessionId }: { subject: string; sessionId: string },
): Promise<{ reservationId: string; startedAt: Date; expiresAt: Date }> {
  const { store, buckets } = await slotsOf(controlPlane);
  await store.release({ environmentId, subject, sessionId, reservationId: null, reason: 'ended' });
  await controlPlane.redis.del(slotKeys(buckets, environmentId, subject).ended);
  const request = { environmentId, subject, sessionId, buckets, lifetimeMilliseconds: 60_000, details };
  const result = await store.reserve(newRequest({ ...request, grant: pack('opaque') }));
  if (result.outcome !== 'reserved' && result.outcome !== 'repeated') throw new Error(`no session: ${result.outcome}`);
  return result;
}

/** Counts a session among the streams of its organization, as playback does. */
export async function countStream(
  { redis }: Pick<TestControlPlane, 'redis'>,
  organizationId: string,
  session: Parameters<typeof streamMember>[0],
): Promise<void> {
  const streams = new OrganizationStreams(redis, new RedisClock(Date.now));
  await streams.add(organizationId, [{ member: streamMember(session), expiresAt: Date.now() + 60_000 }]);
}
