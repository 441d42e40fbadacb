import type { SlotEvent } from '../events/slot-event';
import { pack } from '../message-pack';
import { packDetails } from '../packed-details';

const reasons = { released: 2, terminated: 3, evicted: 4, expired: 5, replaced: 6, undone: 7 };

/** Packs an event of a slot as the scripts do, for tests of those who read it. */
export function packSlotEvent(event: SlotEvent): Buffer {
  const { environmentId, subject, sessionId, reservationId, at, startedAt, expiresAt, details } = event;
  const kind = { started: 1, ended: 2, resumed: 3 }[event.kind];
  const common = [
    1,
    kind,
    environmentId,
    subject,
    sessionId,
    reservationId,
    at,
    startedAt,
    expiresAt,
    packDetails(details),
  ];
  return Buffer.concat([...common, ...ownValues(event)].map(pack));
}

function ownValues(event: SlotEvent): unknown[] {
  if (event.kind === 'started') return [event.replacesSessionId ?? '', event.activeSessions];
  return event.kind === 'ended' ? [reasons[event.reason], event.licenseRequests] : [];
}
