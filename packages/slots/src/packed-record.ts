import { z } from 'zod';
import { unpackAll } from './message-pack';

const bytes = z.instanceof(Uint8Array);
const number = z.number();

/** The values of a record in their order; scripts/parts/record.lua writes them. */
const record = z
  .tuple([z.literal(1), number, number, bytes, bytes, number.nullable(), z.boolean(), number, number, number, number])
  .rest(bytes)
  .transform(([, startedAt, expiresAt, reservationId, , , , licenseRequests, , , , details]) => ({
    reservationId: Buffer.from(reservationId).toString('utf8'),
    startedAt,
    expiresAt,
    licenseRequests,
    details: bytes.parse(details),
  }));

/**
 * Reads what lists show of a record. `startedAt`: microseconds since 1970. `expiresAt`: milliseconds since 1970.
 * Throws an error for a record of another version.
 */
export function readRecord(packed: Uint8Array): z.infer<typeof record> {
  return record.parse(unpackAll(packed));
}
