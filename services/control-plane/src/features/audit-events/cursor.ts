import type { AuditEventPosition } from '../../stores/audit-events';
import { formatTimePosition, parseTimePosition } from '../time-position';

/** The opaque cursor for callers, in base64url. */
export function formatCursor({ occurredAt, id }: AuditEventPosition): string {
  return Buffer.from(formatTimePosition({ time: occurredAt, id }), 'utf8').toString('base64url');
}

/** Undefined if the text is not one of our cursors. A cursor is only a position and grants no access. */
export function parseCursor(text: string): AuditEventPosition | undefined {
  const position = parseTimePosition(Buffer.from(text, 'base64url').toString('utf8'));
  if (position === undefined) return undefined;
  const cursor = { occurredAt: position.time, id: position.id };
  // Node's decoder skips invalid characters: only the canonical encoding is accepted.
  return formatCursor(cursor) === text ? cursor : undefined;
}
