import { randomUUID } from 'node:crypto';
import type { RedisClient } from '@multi-drm/service-kit';
import {
  OrganizationStreams,
  packRequestEvents,
  RedisClock,
  RedisSlotStore,
  type RequestEvent,
  readTime,
  slotEventsKey,
  streamMember,
  unknownMembers,
} from '@multi-drm/slots';
import { newRequest } from '@multi-drm/slots/testing';
import { dumpDatabase, dumpRedis, startRedis } from '@multi-drm/test-kit';
import { Redis } from 'ioredis';
import type { BoundedPool } from '../database/connection-pool';
import { EntryStore } from '../events/entry-store';
import { Erasures } from '../events/erasures';
import { createEventPool } from '../events/event-pool';
import type { EventSession } from '../events/session-rows';
import type { PrismaClient } from '../generated/prisma/client';
import { readSubjectBuckets } from '../publishing/subject-hash-key';
import { addErasure } from '../stores/erasures';
import { type InsertedTenant, insertTenant } from './insert-tenant';
import { recordingLogger } from './recording-logger';
import { connectToRedis } from './redis';
import { eventSession } from './slot-events';
import { openDatabase } from './test-database';

const slotList = { kind: 'slot', key: slotEventsKey(7), droppedKey: 'slot-events-dropped:{7}' } as const;
const requestList = { kind: 'request', key: 'request-events:{0}', droppedKey: 'request-events-dropped:{0}' } as const;

const closers: (() => Promise<unknown>)[] = [];

afterAll(async () => {
  for (const close of closers.reverse()) await close();
});

/** A Redis of the suite's own, a database, and what erases viewers in them. */
export class Erasing {
  /** The viewer that is erased. */
  readonly subject = 'ada@example.com';
  /** The record of the viewer. */
  readonly endUserId = randomUUID();
  /** The errors of passes of this test. */
  failures: unknown[] = [];
  /** The viewer whose passes fail. */
  failingSubject = '';
  /** The clock of passes. */
  monotonicNow = () => performance.now();
  private inserted: InsertedTenant | undefined;

  private constructor(
    readonly redis: RedisClient,
    private readonly redisUrl: string,
    readonly prisma: PrismaClient,
    readonly databaseUrl: string,
    readonly pool: BoundedPool,
    readonly slots: RedisSlotStore,
    private readonly streams: OrganizationStreams,
  ) {}

  /** Starts them; they end with the suite. */
  static async start(): Promise<Erasing> {
    const server = await startRedis();
    const redis = await connectToRedis({ REDIS_URL: server.url });
    const { prisma, url } = await openDatabase();
    const pool = createEventPool(url, recordingLogger([]));
    const streams = new OrganizationStreams(redis, new RedisClock(() => performance.now()));
    const slots = new RedisSlotStore(redis, {
      idempotentRepeatSeconds: 30,
      sessionIdRetentionSeconds: 86_400,
      buckets: () => readSubjectBuckets(prisma),
      eventBytes: () => 2 ** 20,
    });
    closers.push(async () => {
      await pool.end();
      redis.disconnect();
      await server.stop();
    });
    return new Erasing(redis, server.url, prisma, url, pool, slots, streams);
  }

  /** Begins a test with empty stores and a new tenant. */
  async beginTest(): Promise<void> {
    this.failures = [];
    this.failingSubject = '';
    this.monotonicNow = () => performance.now();
    await this.redis.flushall();
    await this.prisma
      .$executeRaw`TRUNCATE event, session, event_outbox, event_set_aside, erasure, erased_subject, viewer_day`;
    this.inserted = await insertTenant(this.prisma);
  }

  get tenant(): InsertedTenant {
    if (this.inserted === undefined) throw new Error('the test has not begun');
    return this.inserted;
  }

  get environmentId(): string {
    return this.tenant.environmentId;
  }

  /** A session of the viewer that started a minute ago. */
  session(changes: Partial<EventSession> = {}): EventSession {
    return eventSession(this.environmentId, { subject: this.subject, ...changes });
  }

  /** Stores entries of slots, as a reader does. */
  store(...entries: Buffer[]) {
    return this.entryStore().store(
      0,
      entries.map((bytes) => ({ list: slotList, bytes })),
    );
  }

  /** Stores what became of requests, as a reader does. */
  storeRequests(...requests: RequestEvent[]) {
    return this.entryStore().store(1, [{ list: requestList, bytes: packRequestEvents(requests) }]);
  }

  /** A refusal of a renewal of a session of the viewer, half a minute after the last pass. */
  refusal(changes: Partial<RequestEvent> = {}): RequestEvent {
    return {
      ...unknownMembers,
      ...this.session().details,
      kind: 'session.refused',
      environmentId: this.environmentId,
      subject: this.subject,
      at: Date.now() + 42_000,
      count: 1,
      code: 'session_terminated',
      ...changes,
    };
  }

  /** Moves the events of the slots to PostgreSQL. */
  async readSlotEvents(): Promise<void> {
    for (const key of await this.redis.keys('slot-events:*')) {
      await this.store(...(await this.redis.lrangeBuffer(key, 0, -1)));
      await this.redis.del(key);
    }
  }

  /** Starts a session at playback. Returns its id. */
  async reserve(subject = this.subject): Promise<string> {
    const { environmentId, organizationId } = this.tenant;
    const sessionId = randomUUID();
    const { details } = eventSession(environmentId);
    const buckets = await readSubjectBuckets(this.prisma);
    const reserved = await this.slots.reserve(newRequest({ environmentId, subject, sessionId, buckets, details }));
    expect(reserved.outcome).toBe('reserved');
    const member = streamMember({ environmentId, subject, sessionId });
    await this.streams.add(organizationId, [{ member, expiresAt: Date.now() + 3_600_000 }]);
    return sessionId;
  }

  /** Erases a viewer as the service does. Returns the id that replaces its subject. */
  async erase(subject = this.subject, { projectId, environmentId } = this.tenant): Promise<string> {
    const buckets = await readSubjectBuckets(this.prisma);
    const environmentHashes = { [environmentId]: buckets.hashOf(environmentId, subject) };
    const hashes = { projectHash: buckets.hashOf(projectId, subject), environmentHashes };
    await addErasure(this.prisma, { endUserId: this.endUserId, projectId, subject }, hashes);
    return (await this.prisma.erasure.findFirstOrThrow({ where: { projectId, subject } })).id;
  }

  /** Runs the passes that are due. */
  async run(redisNow = () => readTime(this.redis)): Promise<void> {
    const { pool, slots, streams } = this;
    const failing: Pick<RedisSlotStore, 'listSubject' | 'release' | 'remember'> = {
      listSubject: async (environmentId, subject, page) => {
        if (subject === this.failingSubject) throw new Error('cannot be listed');
        return slots.listSubject(environmentId, subject, page);
      },
      release: (call) => slots.release(call),
      remember: (session, state) => slots.remember(session, state),
    };
    const onFailed = (error: unknown) => void this.failures.push(error);
    await new Erasures({ pool, slots: failing, streams, redisNow, monotonicNow: this.monotonicNow, onFailed }).run();
  }

  /** Lets the time come for the last pass. */
  async runLastPass(): Promise<void> {
    await this.run();
    await this.prisma.$executeRaw`UPDATE erasure SET next_pass_at = now(), last_pass_at = now()`;
    await this.run();
  }

  /** The stored events of the environment, the oldest first. */
  events() {
    return this.prisma.event.findMany({ where: { scopeId: this.environmentId }, orderBy: { id: 'asc' } });
  }

  sessions() {
    return this.prisma.session.findMany({ where: { environmentId: this.environmentId } });
  }

  /** Everything that both stores hold, bytes of PostgreSQL in hexadecimal. */
  async dumpAll(): Promise<string> {
    const reader = new Redis(this.redisUrl);
    const dumps = await Promise.all([dumpDatabase(this.databaseUrl), dumpRedis(reader)]);
    reader.disconnect();
    return dumps.join('\n');
  }

  private entryStore(): EntryStore {
    return new EntryStore(this.pool, () => readSubjectBuckets(this.prisma));
  }
}
