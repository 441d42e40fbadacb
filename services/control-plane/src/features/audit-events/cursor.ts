/** A place in the audit trail: between the event with this time and id, and the next older one. */
export interface Cursor {
  occurredAt: Date;
  id: string;
}

const form = /^(\d{1,15}) ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;
/** The last millisecond of the year 9999, beyond which times have another form. */
const lastTime = 253_402_300_799_999;

/** The cursor as callers get it, who need not read it: milliseconds since 1970 and the id, in base64url. */
export function formatCursor({ occurredAt, id }: Cursor): string {
  return Buffer.from(`${occurredAt.getTime()} ${id}`, 'utf8').toString('base64url');
}

/** Undefined for what is none of our cursors. It says where to read on, and nothing of who may read there. */
export function parseCursor(text: string): Cursor | undefined {
  const decoded = Buffer.from(text, 'base64url').toString('utf8');
  const [, time, id] = form.exec(decoded) ?? [];
  if (time === undefined || id === undefined || Number(time) > lastTime) return undefined;
  const cursor = { occurredAt: new Date(Number(time)), id };
  // Node's decoder passes over what is no base64url: only the one spelling is taken.
  return formatCursor(cursor) === text ? cursor : undefined;
}
