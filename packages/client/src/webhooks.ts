import type { components } from './generated/webhook-events';

/** An event of a webhook, by `type`. A newer service may send others: let a `default` ignore them. */
export type WebhookEvent = components['schemas']['WebhookEvent'];

/** What a receiver has got. */
export interface ReceivedWebhook {
  /** The secret of the endpoint, which begins with `whsec_`. */
  secret: string;
  /** Of the request: those of `fetch`, or of Node with names in lower case. */
  headers: Headers | Record<string, string | string[] | undefined>;
  /** As it came: parsed and written again, it would have another signature. */
  body: string | Uint8Array;
  /** How far the time of sending may be from that of `date`. 300 by default. */
  toleranceSeconds?: number;
  /** The time in milliseconds since 1970; by default that of the system. */
  date?: number;
}

/** A request that is not an event of your endpoint: answer 401. The message says why. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
}

/**
 * Verifies that an event comes from the service (Standard Webhooks 1.0) and is not an old one sent again, and returns it. Rejects with a
 * {@link WebhookVerificationError}. The same event may come twice, with the same `id`.
 */
export async function verifyWebhook(received: ReceivedWebhook): Promise<WebhookEvent> {
  const { secret, headers, body, toleranceSeconds = 300, date = Date.now() } = received;
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    headerOf(headers, name),
  );
  if (!id || !timestamp || !signatures) throw new WebhookVerificationError('the headers of a webhook are missing');
  if (!(Math.abs(date / 1000 - Number(timestamp)) <= toleranceSeconds)) {
    throw new WebhookVerificationError('the timestamp is too far from the time of this system');
  }
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  if (!ArrayBuffer.isView(bytes)) throw new TypeError('the body must be as it came, and not parsed');
  const start = new TextEncoder().encode(`${id}.${timestamp}.`);
  const signed = new Uint8Array(start.length + bytes.length);
  signed.set(start);
  signed.set(bytes, start.length);
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const secretBytes = bytesOf(secret.replace(/^whsec_/, ''));
  if (secretBytes.length === 0) throw new TypeError('the secret is not one of a webhook endpoint');
  const key = await crypto.subtle.importKey('raw', secretBytes, algorithm, false, ['verify']);
  // During a rotation there are two signatures: one with the old secret and one with the new one.
  for (const signature of signatures.split(' ')) {
    const [version, text = ''] = signature.split(',');
    if (version !== 'v1') continue;
    if (await crypto.subtle.verify('HMAC', key, bytesOf(text), signed))
      return JSON.parse(new TextDecoder().decode(bytes));
  }
  throw new WebhookVerificationError('no signature is right');
}

function headerOf(headers: ReceivedWebhook['headers'], name: string): string {
  const value = isHeaders(headers) ? headers.get(name) : headers[name];
  return String(value ?? '');
}

/** Not by class: a runtime may have several, and so may its libraries. */
function isHeaders(headers: ReceivedWebhook['headers']): headers is Headers {
  return typeof headers.get === 'function';
}

/** The bytes of base64; none if it is not base64. */
function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}
