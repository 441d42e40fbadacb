import type { Database } from '../database/database';
import type { EventGap } from '../generated/prisma/client';

/** A time from which events are missing, and how many at most. */
export type EventGapRecord = Pick<EventGap, 'from' | 'to' | 'count'>;

/** The gaps of all lists that touch a time, by their start. undefined: open. */
export async function listEventGaps(
  database: Database,
  { from, to }: { from: Date | undefined; to: Date | undefined },
): Promise<EventGapRecord[]> {
  return database.eventGap.findMany({
    where: { ...(from === undefined ? {} : { to: { gte: from } }), ...(to === undefined ? {} : { from: { lte: to } }) },
    select: { from: true, to: true, count: true },
    orderBy: { from: 'asc' },
  });
}
