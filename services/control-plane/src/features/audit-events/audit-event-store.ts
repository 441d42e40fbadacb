import type { AuditEvent, Prisma, PrismaClient } from '../../generated/prisma/client';
import type { Page } from '../../records/page';
import { readPage } from '../../records/read-page';
import type { AuditEventFilter } from './audit-event-query';
import type { Cursor } from './cursor';

export type AuditEventRecord = AuditEvent;

/** Reads the audit trail, which is written with `recordAudit`. Lists are newest first. */
export class AuditEventStore {
  constructor(private readonly prisma: PrismaClient) {}

  /** A page and the total, from the same snapshot. */
  async list(
    organizationId: string,
    filter: AuditEventFilter,
    page: Page,
  ): Promise<{ items: AuditEvent[]; total: number }> {
    const where = whereOf(organizationId, filter);
    return readPage(this.prisma, page, {
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

  /** Up to `take` events older than the cursor's. Events added meanwhile are newer and do not shift them. */
  async listOlder(
    organizationId: string,
    filter: AuditEventFilter,
    { occurredAt, id }: Cursor,
    take: number,
  ): Promise<AuditEvent[]> {
    return this.prisma.auditEvent.findMany({
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
