import type { SlotEvent } from '@multi-drm/slots';
import type { BoundedPool } from '../database/connection-pool';
import { inTransaction } from '../database/pool-transaction';
import { createEventPool } from '../events/event-pool';
import { type EventRow, insertEvents } from '../events/event-rows';
import { storeSlotEvents } from '../events/store-slot-events';
import type { PrismaClient } from '../generated/prisma/client';
import { readUsage, type UsageInterval, type UsageRow } from '../stores/usage';
import type { DimensionOrTotal } from '../usage/dimensions';
import { UsageRollUp } from '../usage/usage-roll-up';
import { recordingLogger } from './recording-logger';
import { openDatabase } from './test-database';

const closers: (() => Promise<unknown>)[] = [];

afterAll(async () => {
  for (const close of closers) await close();
});

export const hour = 3_600_000;
export const day = 24 * hour;

const yesterday = Math.floor(Date.now() / day) * day - day;

/**
 * When the first of two days of one month begins (UTC), in milliseconds since 1970: yesterday, with which partitions begin, or today, if a
 * month ended yesterday.
 */
export const firstDay = new Date(yesterday + day).getUTCDate() === 1 ? yesterday + day : yesterday;

/** A database in which events are stored and usage is computed, at times that the test names. */
export class UsageStoring {
  private constructor(
    readonly prisma: PrismaClient,
    readonly pool: BoundedPool,
  ) {}

  /** Opens one; it ends with the suite. */
  static async open(): Promise<UsageStoring> {
    const { prisma, url } = await openDatabase();
    const pool = createEventPool(url, recordingLogger([]));
    closers.push(() => pool.end());
    return new UsageStoring(prisma, pool);
  }

  /** Stores what playback has reported, in one transaction. */
  async store(...events: SlotEvent[]): Promise<void> {
    await inTransaction(this.pool, (client) => storeSlotEvents(client, events));
  }

  /** The same for events of requests. */
  async storeEvents(...events: EventRow[]): Promise<void> {
    await inTransaction(this.pool, (client) => insertEvents(client, events));
  }

  /** What computes usage. `now`: milliseconds since 1970; `monotonicNow`: monotonic milliseconds. */
  rollUpBy({ now, monotonicNow }: { now: () => number; monotonicNow: () => number }): UsageRollUp {
    return new UsageRollUp({ pool: this.pool, clock: async () => new Date(now()), monotonicNow });
  }

  /** Computes what is due. `now`: milliseconds since 1970. */
  async rollUp(now: number): Promise<void> {
    await this.rollUpBy({ now: () => now, monotonicNow: () => 0 }).run();
  }

  /** Returns the rows of both days, or of their month. */
  async read(
    scopeId: string,
    interval: UsageInterval,
    dimension: DimensionOrTotal = '',
    now = firstDay + 2 * day,
  ): Promise<UsageRow[]> {
    const first = new Date(firstDay);
    const from = interval === 'month' ? new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth())) : first;
    const to = new Date(firstDay + 2 * day);
    const query = { scopeId, dimension, interval, from, to, largest: 1_000, now: new Date(now) };
    return (await readUsage(this.prisma, query)).rows;
  }
}
