import type { Database } from '../database/database';
import type { Event, Prisma } from '../generated/prisma/client';

export type EventRecord = Event;

/** The filters of a list; undefined: all. */
export interface EventFilter {
  type: string | undefined;
  sessionId: string | undefined;
  subject: string | undefined;
  contentId: string | undefined;
  /** Inclusive. */
  from: EventBound | undefined;
  /** Exclusive. */
  to: EventBound | undefined;
}

/** A place in the order of events: an id, and its time in whole milliseconds, by which PostgreSQL finds the partitions. */
export interface EventBound {
  id: string;
  time: Date;
}

/** The event with this id of one of the scopes; null if there is none. */
export async function findEvent(
  database: Database,
  scopeIds: string[],
  { id, time }: EventBound,
): Promise<EventRecord | null> {
  const where = { scopeId: { in: scopeIds }, id, time: { gte: time, lt: nextMillisecond(time) } };
  return database.event.findFirst({ where });
}

/** Up to `take` events of the scopes before a place, newest first. */
export async function listNewestEvents(
  database: Database,
  scopeIds: string[],
  filter: EventFilter,
  before: EventBound | undefined,
  take: number,
): Promise<EventRecord[]> {
  const ends = [before, filter.to].filter((end) => end !== undefined);
  const end = ends.reduce<EventBound | undefined>(
    (least, one) => (least && least.id < one.id ? least : one),
    undefined,
  );
  // Each scope by itself: PostgreSQL would not read several in the order of their ids.
  const found = await Promise.all(
    scopeIds.map((scopeId) =>
      database.event.findMany({ where: whereOf(scopeId, { ...filter, to: end }), orderBy: { id: 'desc' }, take }),
    ),
  );
  return found
    .flat()
    .sort((one, other) => (one.id < other.id ? 1 : -1))
    .slice(0, take);
}

/**
 * Up to `take` events of the scopes after a place, in the order stored, up to the first one that was stored after `settledBefore`: before
 * that, others may still be stored.
 */
export async function listStoredEvents(
  database: Database,
  scopeIds: string[],
  filter: EventFilter,
  after: bigint,
  { settledBefore, take }: { settledBefore: Date; take: number },
): Promise<EventRecord[]> {
  const found = await Promise.all(
    scopeIds.map((scopeId) =>
      database.event.findMany({
        where: { ...whereOf(scopeId, filter), sequence: { gt: after } },
        orderBy: { sequence: 'asc' },
        take,
      }),
    ),
  );
  const inOrder = found.flat().sort((one, other) => (one.sequence < other.sequence ? -1 : 1));
  const unsettled = inOrder.findIndex(({ storedAt }) => storedAt >= settledBefore);
  return inOrder.slice(0, unsettled === -1 ? take : Math.min(unsettled, take));
}

/** The time some seconds ago, by the clock of the database, which dates what is stored. */
export async function readTimeAgo(database: Database, seconds: number): Promise<Date> {
  const [row] = await database.$queryRaw<{ time: Date }[]>`
    SELECT clock_timestamp() - make_interval(secs => ${seconds}) AS time`;
  if (row === undefined) throw new Error('the database told no time');
  return row.time;
}

function whereOf(
  scopeId: string,
  { type, sessionId, subject, contentId, from, to }: EventFilter,
): Prisma.EventWhereInput {
  return {
    scopeId,
    ...(type === undefined ? {} : { type }),
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(subject === undefined ? {} : { subject }),
    ...(contentId === undefined ? {} : { contentId }),
    id: { ...(from === undefined ? {} : { gte: from.id }), ...(to === undefined ? {} : { lt: to.id }) },
    time: {
      ...(from === undefined ? {} : { gte: from.time }),
      ...(to === undefined ? {} : { lt: nextMillisecond(to.time) }),
    },
  };
}

/** Times are stored in microseconds. */
const nextMillisecond = (time: Date) => new Date(time.getTime() + 1);
