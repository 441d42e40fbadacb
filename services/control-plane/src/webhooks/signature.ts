import { createHmac } from 'node:crypto';

const secretPrefix = 'whsec_';

/** What a signature covers. */
interface SignedMessage {
  /** The event's id: the same for each attempt, so that receivers find repeats by it. */
  id: string;
  /** When the attempt is made, in seconds since 1970. */
  timestamp: number;
  body: Buffer;
}

/**
 * Returns the headers by which a receiver verifies a message (Standard Webhooks 1.0, "Signature scheme"): one signature for each secret, so
 * that receivers can have the old or the new one during a rotation.
 *
 * @param secrets `whsec_` and the key in base64
 */
export function signatureHeaders(
  { id, timestamp, body }: SignedMessage,
  secrets: readonly string[],
): Record<string, string> {
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(secretPrefix.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  };
}
