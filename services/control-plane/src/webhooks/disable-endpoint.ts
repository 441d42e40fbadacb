import { randomUUID } from 'node:crypto';
import { recordAudit } from '../audit/record-audit';
import type { Database } from '../database/database';
import { addRecordEvent } from '../events/event-outbox';

/** Why an endpoint is disabled: it has answered 410, or no delivery has succeeded for five days. */
export type DisabledReason = 'gone' | 'failing';

const changedFields = ['enabled', 'disabledAt', 'disabledReason'];

/**
 * Disables an endpoint, with an audit event, and an event of which the other endpoints of its organization hear. What is due stays, and is
 * sent once somebody enables the endpoint. Nothing changes if somebody has disabled it meanwhile.
 */
export async function disableEndpoint(database: Database, id: string, reason: DisabledReason, now: Date) {
  await database.$transaction(async (transaction) => {
    const { count } = await transaction.webhookEndpoint.updateMany({
      where: { id, enabled: true },
      data: { enabled: false, disabledAt: now, disabledReason: reason, version: { increment: 1 }, updatedAt: now },
    });
    if (count === 0) return;
    const { project } = await transaction.webhookEndpoint.findUniqueOrThrow({
      where: { id },
      select: { project: { select: { organizationId: true } } },
    });
    const { organizationId } = project;
    const record = { recordType: 'webhookEndpoint', recordId: id };
    await addRecordEvent(
      transaction,
      { type: 'webhook_endpoint.disabled', scopeId: organizationId },
      { ...record, changedFields, reason },
    );
    await recordAudit(
      transaction,
      { kind: 'system', id: null, name: null, requestId: randomUUID(), address: null },
      { ...record, organizationId, action: 'webhookEndpoint.disable', details: { changedFields, reason } },
      now,
    );
  });
}
