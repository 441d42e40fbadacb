import type { RedisClient } from '@multi-drm/service-kit';
import { type SlotEvent, slotEventsKey, UnreadEvents } from '@multi-drm/slots';
import { packSlotEvent } from '@multi-drm/slots/testing';
import { startRedis } from '@multi-drm/test-kit';
import type { BoundedPool } from '../database/connection-pool';
import { EntryStore } from '../events/entry-store';
import { createEventPool, storingMilliseconds } from '../events/event-pool';
import { EventReader } from '../events/event-reader';
import type { PrismaClient } from '../generated/prisma/client';
import { readSubjectBuckets } from '../publishing/subject-hash-key';
import { insertTenant } from './insert-tenant';
import { type LogEntry, recordingLogger } from './recording-logger';
import { connectToRedis } from './redis';
import { openDatabase } from './test-database';

const closers: (() => Promise<unknown>)[] = [];

afterAll(async () => {
  for (const close of closers.reverse()) await close();
});

/** A Redis of the suite's own, because others fill the lists of a shared one, a database, and readers between them. */
export class EventReading {
  environmentId = '';
  log: LogEntry[] = [];
  private readers: EventReader[] = [];

  private constructor(
    readonly redis: RedisClient,
    readonly prisma: PrismaClient,
    readonly databaseUrl: string,
    readonly pool: BoundedPool,
  ) {}

  /** Starts them; they end with the suite. */
  static async start(): Promise<EventReading> {
    const server = await startRedis();
    const redis = await connectToRedis({ REDIS_URL: server.url });
    const { prisma, url } = await openDatabase();
    const pool = createEventPool(url, recordingLogger([]));
    closers.push(async () => {
      await pool.end();
      redis.disconnect();
      await server.stop();
    });
    return new EventReading(redis, prisma, url, pool);
  }

  /** Begins a test with empty lists, in a new environment. */
  async beginTest(): Promise<void> {
    await this.redis.flushall();
    await this.prisma.eventSetAside.deleteMany();
    ({ environmentId: this.environmentId } = await insertTenant(this.prisma));
    this.log = [];
  }

  /** Stops the readers of a test. */
  async endTest(): Promise<void> {
    for (const reader of this.readers.splice(0)) await reader.stop();
  }

  /** A reader as every control plane has one. `unread` replaces some of its calls to Redis, `milliseconds` the bound of its transactions. */
  createReader({
    ownPool = this.pool,
    unread = {} as Partial<UnreadEvents>,
    milliseconds = storingMilliseconds,
  } = {}): EventReader {
    const calls = new UnreadEvents(this.redis);
    const reader = new EventReader({
      unread: {
        lengths: () => calls.lengths(),
        read: (list, most) => calls.read(list, most),
        remove: (list, entries) => calls.remove(list, entries),
        ...unread,
      },
      entries: new EntryStore(ownPool, () => readSubjectBuckets(this.prisma), milliseconds),
      logger: recordingLogger(this.log),
      pollMilliseconds: 10,
    });
    this.readers.push(reader);
    return reader;
  }

  /** Appends events to the list of a bucket, as playback does. */
  async append(...events: SlotEvent[]): Promise<void> {
    await this.redis.rpush(slotEventsKey(7), ...events.map(packSlotEvent));
  }

  /** The stored events of the environment, the oldest first. */
  async events() {
    return this.prisma.event.findMany({ where: { scopeId: this.environmentId }, orderBy: { id: 'asc' } });
  }

  async types(): Promise<string[]> {
    return (await this.events()).map(({ type }) => type);
  }

  async sessions() {
    return this.prisma.session.findMany({ where: { environmentId: this.environmentId } });
  }

  /** The lists that have entries. */
  async unreadKeys(): Promise<string[]> {
    return this.redis.keys('*-events:*');
  }
}
