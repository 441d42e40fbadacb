import { z } from 'zod';
import { pack, unpack } from '../slots/message-pack';
import { packDetails, readDetails } from '../slots/packed-details';
import type { Reservation, SessionDetails, StoredDetails } from '../slots/slot-store';
import type { LicenseToken } from '../tokens/license-token';
import { packGrant, readGrant, type SessionGrant } from './session-grant';

/** The part of a session's record that its license tokens carry, as it was when the token was signed. */
export interface TokenRecord {
  startedAt: Date;
  /** When the session ends unless it is renewed. */
  expiresAt: Date;
  grant: SessionGrant;
  /** Without `reporting`: it can be large, and is meant for the customer only. */
  details: StoredDetails;
}

/** The version of the packed layout, including that of grant and details. A record of another version is not read. */
const layoutVersion = 1;

const values = z.array(z.unknown());
const bytes = z.instanceof(Uint8Array);
const packedRecord = z.tuple([z.int(), z.int(), bytes, bytes]);

/** Packs a record for the claim `rec` of a token. `details` may have `reporting`, which is left out. */
export function packTokenRecord(
  { startedAt, expiresAt }: Pick<Reservation, 'startedAt' | 'expiresAt'>,
  grant: SessionGrant,
  details: SessionDetails,
): string {
  const packedDetails = packDetails({ ...details, reporting: null });
  const times = [startedAt.getTime(), expiresAt.getTime()];
  return pack([layoutVersion, ...times, packGrant(grant), packedDetails]).toString('base64url');
}

/** Reads the record that a token carries; null if it carries none, or one of another version of the service. */
export function readTokenRecord({ record }: Pick<LicenseToken, 'record'>): TokenRecord | null {
  if (record === null) return null;
  const [version, ...rest] = values.parse(unpack(Buffer.from(record, 'base64url')));
  if (version !== layoutVersion) return null;
  const [startedAt, expiresAt, grant, packed] = packedRecord.parse(rest);
  const details = readDetails(packed);
  return { startedAt: new Date(startedAt), expiresAt: new Date(expiresAt), grant: readGrant(grant, details), details };
}
