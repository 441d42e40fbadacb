import type { AuditEvent, Prisma, PrismaClient } from '../../generated/prisma/client';
import type { Page } from '../../records/page';
import { readPage } from '../../records/page-store';
import type { AuditEventFilter } from './audit-event-query';
import type { Cursor } from './cursor';

export type AuditEventRecord = AuditEvent;

/** The audit trail, which others write with `recordAudit`. Lists are newest first. */
export class AuditEventStore {
  constructor(private readonly prisma: PrismaClient) {}

  /** A page, and the number of all: of one moment. */
  async list(
    organizationId: string,
    filter: AuditEventFilter,
    page: Page,
  ): Promise<{ items: AuditEvent[]; total: number }> {
    const where = whereOf(organizationId, filter);
    return readPage(this.prisma, page, {
      count: (transaction) => transaction.auditEvent.count({ where }),
      ids: (transaction, { take, skip, direction }) => {
        const order = direction === 'asc' ? 'desc' : 'asc'; // the list's first is the newest
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

  /** Up to `take` events that are older than the cursor's. What is added meanwhile is newer, and moves none of them. */
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
          // The first line is a bound that PostgreSQL finds in the index; the second makes it exact.
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
