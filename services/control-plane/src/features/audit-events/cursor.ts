import type { AuditEventPosition } from '../../stores/audit-events';

const form = /^(\d{1,15}) ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;
/** The last millisecond of the year 9999, after which ISO times have another form. */
const lastTime = 253_402_300_799_999;

/** The opaque cursor for callers: milliseconds since 1970 and the id, in base64url. */
export function formatCursor({ occurredAt, id }: AuditEventPosition): string {
  return Buffer.from(`${occurredAt.getTime()} ${id}`, 'utf8').toString('base64url');
}

/** Undefined if the text is not one of our cursors. A cursor is only a position and grants no access. */
export function parseCursor(text: string): AuditEventPosition | undefined {
  const decoded = Buffer.from(text, 'base64url').toString('utf8');
  const [, time, id] = form.exec(decoded) ?? [];
  if (time === undefined || id === undefined || Number(time) > lastTime) return undefined;
  const cursor = { occurredAt: new Date(Number(time)), id };
  // Node's decoder skips invalid characters: only the canonical encoding is accepted.
  return formatCursor(cursor) === text ? cursor : undefined;
}
