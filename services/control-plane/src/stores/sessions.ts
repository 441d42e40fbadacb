import type { Database, Transaction } from '../database/database';
import { Prisma, type Session } from '../generated/prisma/client';
import type { Dimension } from '../usage/dimensions';

export type SessionRecord = Session;

/** The filters of a list; undefined: all. */
export interface SessionFilter {
  sessionId: string | undefined;
  subject: string | undefined;
  contentId: string | undefined;
  /** Whether an end is stored. */
  status: 'active' | 'ended' | undefined;
  /** Start of the time range of the sessions' starts, inclusive. */
  from: Date | undefined;
  /** End of the time range, exclusive. */
  to: Date | undefined;
}

/** A position in a list: after the session with this start and reservation. */
export type SessionPosition = Pick<Session, 'startedAt' | 'reservationId'>;

/** Up to `take` sessions after the position, the newest start first. */
export async function listSessions(
  database: Database,
  environmentId: string,
  { sessionId, subject, contentId, status, from, to }: SessionFilter,
  after: SessionPosition | undefined,
  take: number,
): Promise<SessionRecord[]> {
  const where: Prisma.SessionWhereInput = {
    environmentId,
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(subject === undefined ? {} : { subject }),
    ...(contentId === undefined ? {} : { contentId }),
    ...(status === undefined ? {} : { endedAt: status === 'active' ? null : { not: null } }),
    startedAt: { ...(from === undefined ? {} : { gte: from }), ...(to === undefined ? {} : { lt: to }) },
  };
  return database.session.findMany({
    where: after === undefined ? where : { AND: [where, ...conditionsAfter(after)] },
    orderBy: [{ startedAt: 'desc' }, { reservationId: 'desc' }],
    take,
  });
}

/** The newest session with this id, of this subject or of any; null if there is none. */
export async function findNewestSession(
  database: Database,
  environmentId: string,
  sessionId: string,
  subject: string | undefined,
): Promise<SessionRecord | null> {
  return database.session.findFirst({
    where: { environmentId, sessionId, ...(subject === undefined ? {} : { subject }) },
    orderBy: [{ startedAt: 'desc' }, { reservationId: 'desc' }],
  });
}

/** Up to `most` subjects that have used a session id. */
export async function listSubjectsOfSession(
  transaction: Transaction,
  environmentId: string,
  sessionId: string,
  most: number,
): Promise<string[]> {
  const found = await transaction.session.groupBy({
    by: ['subject'],
    where: { environmentId, sessionId },
    orderBy: { subject: 'asc' },
    take: most,
  });
  return found.map(({ subject }) => subject);
}

const dimensionColumns: Record<Dimension, string> = {
  drmSystem: 'drm_system',
  clientPlatform: 'client_platform',
  applicationId: 'application_id',
  contentId: 'content_id',
  contentType: 'content_type',
};

/** How many open sessions have one value. */
export interface OpenSessionCount {
  /** null: the sessions have none. */
  value: string | null;
  count: number;
  /** How many values there are, of this and of all others. */
  values: number;
}

/** The `most` values of a property that most open sessions of an environment have, the most frequent first. */
export async function countOpenSessions(
  database: Database,
  environmentId: string,
  dimension: Dimension,
  most: number,
): Promise<OpenSessionCount[]> {
  const column = Prisma.raw(dimensionColumns[dimension]);
  return database.$queryRaw<OpenSessionCount[]>`
    SELECT ${column} AS value, count(*)::int AS count, (count(*) OVER ())::int AS values
    FROM session WHERE environment_id = ${environmentId}::uuid AND ended_at IS NULL
    GROUP BY ${column} ORDER BY count DESC, value LIMIT ${most}`;
}

function conditionsAfter({ startedAt, reservationId }: SessionPosition): Prisma.SessionWhereInput[] {
  return [
    // The first condition is a range that PostgreSQL finds in the index; the second makes it exact.
    { startedAt: { lte: startedAt } },
    { OR: [{ startedAt: { lt: startedAt } }, { reservationId: { lt: reservationId } }] },
  ];
}
