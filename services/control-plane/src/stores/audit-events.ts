import type { Database } from '../database/database';
import type { AuditEvent, Prisma } from '../generated/prisma/client';
import type { Page } from './page';
import { readPage } from './read-page';

export type AuditEventRecord = AuditEvent;

/** The filters of a list. */
export interface AuditEventFilter {
  action: string | undefined;
  recordId: string | undefined;
  /** The actor's id. */
  actor: string | undefined;
  /** Start of the time range, inclusive. */
  from: Date | undefined;
  /** End of the time range, exclusive. */
  to: Date | undefined;
}

/** A position in the audit trail: between the event with this time and id and the next older one. */
export interface AuditEventPosition {
  occurredAt: Date;
  id: string;
}

/** A page, newest first, and the total, from the same snapshot. */
export async function readAuditEventPage(
  database: Database,
  organizationId: string,
  filter: AuditEventFilter,
  page: Page,
): Promise<{ items: AuditEventRecord[]; total: number }> {
  const where = whereOf(organizationId, filter);
  return readPage(database, page, {
    count: (transaction) => transaction.auditEvent.count({ where }),
    ids: (transaction, { take, skip, direction }) => {
      const order = direction === 'asc' ? 'desc' : 'asc'; // the first event of the list is the newest
      return transaction.auditEvent.findMany({
        where,
        orderBy: [{ occurredAt: order }, { id: order }],
        take,
        skip,
        select: { id: true },
      });
    },
    read: (transaction, page) => transaction.auditEvent.findMany({ where: page }),
  });
}

/** Up to `take` events older than the position, newest first. Events added meanwhile are newer and do not shift them. */
export async function listOlderAuditEvents(
  database: Database,
  organizationId: string,
  filter: AuditEventFilter,
  { occurredAt, id }: AuditEventPosition,
  take: number,
): Promise<AuditEventRecord[]> {
  return database.auditEvent.findMany({
    where: {
      AND: [
        whereOf(organizationId, filter),
        // The first condition is a range that PostgreSQL finds in the index; the second makes it exact.
        { occurredAt: { lte: occurredAt } },
        { OR: [{ occurredAt: { lt: occurredAt } }, { id: { lt: id } }] },
      ],
    },
    orderBy: [{ occurredAt: 'desc' }, { id: 'desc' }],
    take,
  });
}

function whereOf(
  organizationId: string,
  { action, recordId, actor, from, to }: AuditEventFilter,
): Prisma.AuditEventWhereInput {
  return {
    organizationId,
    ...(action === undefined ? {} : { action }),
    ...(recordId === undefined ? {} : { recordId }),
    ...(actor === undefined ? {} : { actorId: actor }),
    occurredAt: { ...(from === undefined ? {} : { gte: from }), ...(to === undefined ? {} : { lt: to }) },
  };
}
