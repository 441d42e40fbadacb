import {
  createHash,
  createPrivateKey,
  createPublicKey,
  type JsonWebKey,
  type KeyObject,
  randomBytes,
  sign,
  verify,
} from 'node:crypto';
import type { PlaybackSchemas } from '@multi-drm/contracts';
import { z } from 'zod';

/** The keys of license tokens. Each is known by its RFC 7638 thumbprint (SHA-256, base64url). */
export interface SigningKeys {
  signing: { keyId: string; privateKey: KeyObject };
  /** Key id → public key, of every key whose tokens are valid. */
  publicKeys: ReadonlyMap<string, KeyObject>;
  /** What is published of the same keys: public members alone. */
  jsonWebKeySet: PlaybackSchemas['JsonWebKeySet'];
}

interface Key {
  keyId: string;
  publicKey: KeyObject;
  /** Absent for a key that no longer signs. */
  privateKey: KeyObject | undefined;
  jsonWebKey: PlaybackSchemas['JsonWebKeySet']['keys'][number];
}

const jsonWebKeySet = z.object({ keys: z.array(z.unknown()) });

const p256Key = z.object({
  kty: z.literal('EC'),
  crv: z.literal('P-256'),
  x: z.string(),
  y: z.string(),
  d: z.string().optional(),
  use: z.literal('sig').optional(),
  alg: z.literal('ES256').optional(),
});

/**
 * Reads a JWK Set (RFC 7517) of P-256 keys. The key of the id `signingKeyId` signs, or else the first one; it must be
 * private, the others may be public. A `kid` in the text is ignored: key ids are computed.
 *
 * Throws an Error that names the fault by key and member and never shows a value of them.
 */
export function parseSigningKeys(text: string, signingKeyId?: string): SigningKeys {
  const keys = membersOf(text).map(readKey);
  const publicKeys = new Map<string, KeyObject>();
  for (const [index, { keyId, publicKey }] of keys.entries()) {
    if (publicKeys.has(keyId)) throw new Error(`keys[${index}] is in the set twice`);
    publicKeys.set(keyId, publicKey);
  }

  const signing = signingKeyId === undefined ? keys[0] : keys.find(({ keyId }) => keyId === signingKeyId);
  if (signing === undefined) {
    throw new Error(`the signing key id is none of the set's: ${[...publicKeys.keys()].join(', ')}`);
  }
  const { keyId, privateKey } = signing;
  if (privateKey === undefined) throw new Error(`the signing key ${keyId} has no private part (d)`);
  return { signing: { keyId, privateKey }, publicKeys, jsonWebKeySet: { keys: keys.map((key) => key.jsonWebKey) } };
}

// Errors of the parser and of node:crypto may quote what they were given, so none of them is passed on or kept as a cause.

function membersOf(text: string): unknown[] {
  const set = jsonWebKeySet.safeParse(parseJson(text));
  if (!set.success) throw new Error('the keys are no JWK Set: an object with the array "keys"');
  if (set.data.keys.length === 0) throw new Error('the JWK Set has no keys');
  return set.data.keys;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('the keys are not valid JSON');
  }
}

function readKey(member: unknown, index: number): Key {
  const where = `keys[${index}]`;
  const parsed = p256Key.safeParse(member);
  if (!parsed.success) {
    const wrong = parsed.error.issues.map(({ path }) => path.join('.')).filter((name) => name !== '');
    throw new Error(`${where} is no P-256 key that signs with ES256; wrong or missing: ${wrong.join(', ') || 'all'}`);
  }
  const { kty, crv, d } = parsed.data;
  const publicKey = publicKeyOf({ kty, crv, x: parsed.data.x, y: parsed.data.y });
  if (publicKey === undefined) throw new Error(`${where}: x and y are no point of the curve P-256`);
  // Read back from the key: the text may spell the same coordinates in several ways, the thumbprint has one.
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const privateKey = d === undefined ? undefined : privateKeyOf({ kty, crv, x, y, d }, publicKey);
  if (d !== undefined && privateKey === undefined) throw new Error(`${where}: d is not the private part of x and y`);
  const keyId = thumbprint(x, y);
  return { keyId, publicKey, privateKey, jsonWebKey: { kty, crv, x, y, kid: keyId, alg: 'ES256', use: 'sig' } };
}

/** Undefined where the coordinates are no point of the curve. */
function publicKeyOf(key: JsonWebKey): KeyObject | undefined {
  try {
    return createPublicKey({ key, format: 'jwk' });
  } catch {
    return undefined;
  }
}

/**
 * Undefined where the private part is not the public one's. node:crypto takes any `d` with any point, and would sign
 * tokens that nobody can verify; so this signs once.
 */
function privateKeyOf(key: JsonWebKey, publicKey: KeyObject): KeyObject | undefined {
  try {
    const privateKey = createPrivateKey({ key, format: 'jwk' });
    const probe = randomBytes(32);
    return verify('sha256', probe, publicKey, sign('sha256', probe, privateKey)) ? privateKey : undefined;
  } catch {
    return undefined;
  }
}

/** RFC 7638: the required members in lexicographic order, without white space. */
function thumbprint(x: string, y: string): string {
  return createHash('sha256')
    .update(JSON.stringify({ crv: 'P-256', kty: 'EC', x, y }))
    .digest('base64url');
}
