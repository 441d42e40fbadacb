import type { AuditEvent, PrismaClient } from '../../generated/prisma/client';
import type { Page } from '../../records/page';
import { readPage } from '../../records/page-store';

export type AuditEventRecord = AuditEvent;

/** The audit trail, which others write with `recordAudit`. */
export class AuditEventStore {
  constructor(private readonly prisma: PrismaClient) {}

  /** A page, oldest first, and the number of all: of one moment. */
  async list(organizationId: string, page: Page): Promise<{ items: AuditEvent[]; total: number }> {
    const where = { organizationId };
    return readPage(this.prisma, page, {
      count: (transaction) => transaction.auditEvent.count({ where }),
      read: (transaction, { take, skip, direction }) =>
        transaction.auditEvent.findMany({ where, orderBy: [{ occurredAt: direction }, { id: direction }], take, skip }),
    });
  }
}
