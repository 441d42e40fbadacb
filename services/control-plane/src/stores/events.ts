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

/** Up to `take` events of the scopes after a number, up to another one, in the order stored. */
export async function listStoredEvents(
  database: Database,
  scopeIds: string[],
  filter: EventFilter,
  numbers: { after: bigint; upTo: bigint },
  take: number,
): Promise<EventRecord[]> {
  const found = await Promise.all(
    scopeIds.map((scopeId) =>
      database.event.findMany({
        where: { ...whereOf(scopeId, filter), sequence: { gt: numbers.after, lte: numbers.upTo } },
        orderBy: { sequence: 'asc' },
        take,
      }),
    ),
  );
  return found
    .flat()
    .sort((one, other) => (one.sequence < other.sequence ? -1 : 1))
    .slice(0, take);
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
