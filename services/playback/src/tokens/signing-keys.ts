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

/** The keys of license tokens. A key id is the key's RFC 7638 thumbprint (SHA-256, base64url). */
export interface SigningKeys {
  signing: { keyId: string; privateKey: KeyObject };
  /** By key id: the public key of every key whose tokens are valid. */
  publicKeys: ReadonlyMap<string, KeyObject>;
  /** The published form of the same keys, with public members only. */
  jsonWebKeySet: PlaybackSchemas['JsonWebKeySet'];
}

/** A key of license tokens. */
export interface Key {
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
 * Parses a JWK Set (RFC 7517) of P-256 keys. The key with the id `signingKeyId`, or else the first one, signs and must be private;
 * the others may be public. A `kid` in the input is ignored, because key ids are computed.
 *
 * Throws an Error that names the invalid key and member but never contains their values.
 */
export function parseSigningKeys(text: string, signingKeyId?: string): SigningKeys {
  return withSigningKey(parseKeys(text), signingKeyId);
}

/** The keys of a JWK Set. Throws as `parseSigningKeys`. */
export function parseKeys(text: string): Key[] {
  const keys = membersOf(text).map(readKey);
  for (const [index, { keyId }] of keys.entries()) {
    if (keys.findIndex((key) => key.keyId === keyId) < index) throw new Error(`keys[${index}] is a duplicate`);
  }
  return keys;
}

/** Chooses the key that signs: that with the id, or else the first one. Throws an Error if there is none, or if it is not private. */
export function withSigningKey(keys: readonly Key[], signingKeyId: string | undefined): SigningKeys {
  const publicKeys = new Map(keys.map(({ keyId, publicKey }) => [keyId, publicKey]));
  const signing = signingKeyId === undefined ? keys[0] : keys.find(({ keyId }) => keyId === signingKeyId);
  if (signing === undefined) {
    throw new Error(`unknown signing key id; the set has ${[...publicKeys.keys()].join(', ')}`);
  }
  const { keyId, privateKey } = signing;
  if (privateKey === undefined) throw new Error(`the signing key ${keyId} has no private key (d)`);
  return { signing: { keyId, privateKey }, publicKeys, jsonWebKeySet: { keys: keys.map((key) => key.jsonWebKey) } };
}

// Errors of the parser and of node:crypto may quote their input, so none is passed on or kept as a cause.

function membersOf(text: string): unknown[] {
  const set = jsonWebKeySet.safeParse(parseJson(text));
  if (!set.success) throw new Error('the keys are not a JWK Set, an object with the array "keys"');
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
    throw new Error(`${where} is not a P-256 key for ES256; wrong or missing: ${wrong.join(', ') || 'all'}`);
  }
  const { kty, crv, d } = parsed.data;
  const publicKey = publicKeyOf({ kty, crv, x: parsed.data.x, y: parsed.data.y });
  if (publicKey === undefined) throw new Error(`${where}: x and y are not a point on P-256`);
  // Read back from the key: the input may encode the same coordinates in several ways, but the thumbprint must be unique.
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const privateKey = d === undefined ? undefined : privateKeyOf({ kty, crv, x, y, d }, publicKey);
  if (d !== undefined && privateKey === undefined) throw new Error(`${where}: d is not the private key of x and y`);
  const keyId = thumbprint(x, y);
  return { keyId, publicKey, privateKey, jsonWebKey: { kty, crv, x, y, kid: keyId, alg: 'ES256', use: 'sig' } };
}

/** Undefined if the coordinates are not a point on the curve. */
function publicKeyOf(key: JsonWebKey): KeyObject | undefined {
  try {
    return createPublicKey({ key, format: 'jwk' });
  } catch {
    return undefined;
  }
}

/**
 * Undefined if the private key does not match the public one. node:crypto accepts any `d` with any point and would then sign tokens
 * that cannot be verified, so this makes a test signature.
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
