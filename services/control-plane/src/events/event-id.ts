import { hash } from 'node:crypto';

/** 62 bits of zeros and of ones, between which all ids of a time are. */
const lowestRest = Buffer.alloc(8);

/**
 * Returns the id of an event: UUID version 7 (RFC 9562, section 6.2, method 3), whose order is that of the times in microseconds. At the
 * same time, ends come first, so that a viewer's next session starts after the end of the one that it replaces. The same fact always has
 * the same id.
 *
 * @param time microseconds since 1970
 * @param fact what distinguishes it from all other facts of its time
 */
export function eventId(time: number, fact: string, isEnd = false): string {
  const rest = hash('sha256', fact, 'buffer').subarray(0, 8);
  rest.writeUInt8(((rest[0] ?? 0) & 0x1f) | (isEnd ? 0 : 0x20), 0);
  return idOf(time, rest);
}

/** Returns the id from which all events at or after a time begin. `time`: milliseconds since 1970. */
export function lowestEventIdAt(time: number): string {
  return idOf(time * 1000, lowestRest);
}

/** Returns the time of an event by its id, in microseconds since 1970; undefined if it is not a UUID version 7. */
export function timeOfEventId(id: string): number | undefined {
  const hex = /^([0-9a-f]{8})-([0-9a-f]{4})-7([0-9a-f]{3})-[0-9a-f]{4}-[0-9a-f]{12}$/i.exec(id)?.slice(1);
  if (hex === undefined) return undefined;
  const [high = '', low = '', fraction = ''] = hex;
  return Number.parseInt(high + low, 16) * 1000 + Math.ceil((Number.parseInt(fraction, 16) * 1000) / 4096);
}

/** `rest`: 62 bits, and two that are replaced. */
function idOf(time: number, rest: Buffer): string {
  const bytes = Buffer.alloc(16);
  bytes.writeUIntBE(Math.floor(time / 1000), 0, 6);
  bytes.writeUInt16BE(0x7000 | Math.floor(((time % 1000) * 4096) / 1000), 6);
  rest.copy(bytes, 8);
  bytes.writeUInt8(((rest[0] ?? 0) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
