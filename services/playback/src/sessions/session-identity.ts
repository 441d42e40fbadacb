import { hash } from 'node:crypto';
import { playbackDocument } from '@multi-drm/contracts';
import { canonicalJson } from '@multi-drm/service-kit';

const { pattern } = playbackDocument.components.schemas.SessionId as { pattern: string };
const sessionIdForm = new RegExp(pattern, 'u');

/** Whether a session can have this id. */
export function isSessionId(text: string): boolean {
  return sessionIdForm.test(text);
}

/** Derives a UUID (version 8, RFC 9562) from a digest: equal inputs have equal ids, which cannot be guessed. */
function uuidOf(digest: Buffer): string {
  const bytes = Buffer.from(digest.subarray(0, 16));
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** A create without session id that carries an `Idempotency-Key`. */
interface KeyedCreate {
  environmentId: string;
  clientId: string;
  /** The id of the viewer. */
  subject: string;
  idempotencyKey: string;
}

/** Derives the session id, so that a repeat for the same viewer with the same key finds the same session. */
export function sessionIdOfKey({ environmentId, clientId, subject, idempotencyKey }: KeyedCreate): string {
  return uuidOf(hash('sha256', JSON.stringify([environmentId, clientId, subject, idempotencyKey]), 'buffer'));
}

/** Hashes a request so that the order of members does not matter: 132 bits, which are stored with each session. */
export function requestHash(body: unknown): string {
  return hash('sha256', canonicalJson(body), 'base64url').slice(0, 22);
}
