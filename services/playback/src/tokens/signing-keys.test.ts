import { generateKeyPairSync, type JsonWebKey, sign, verify } from 'node:crypto';
import { calculateJwkThumbprint } from 'jose';
import { parseSigningKeys } from './signing-keys';

const privateKey = (namedCurve = 'P-256'): JsonWebKey =>
  generateKeyPairSync('ec', { namedCurve }).privateKey.export({ format: 'jwk' });
const publicPart = ({ d, ...rest }: JsonWebKey): JsonWebKey => rest;
const thumbprintOf = ({ kty, crv, x, y }: JsonWebKey) => calculateJwkThumbprint({ kty: `${kty}`, crv, x, y } as never);
const textOf = (...keys: unknown[]) => JSON.stringify({ keys });

const [first, second, third] = [privateKey(), privateKey(), privateKey()];

test('the first key signs if no id is given, and every key verifies', () => {
  const keys = parseSigningKeys(textOf(first, second));
  const [keyId] = keys.publicKeys.keys();
  expect(keys.signing.keyId).toBe(keyId);
  expect(keys.publicKeys.size).toBe(2);
  const signature = sign('sha256', Buffer.from('text'), keys.signing.privateKey);
  const results = [...keys.publicKeys.values()].map((key) => verify('sha256', Buffer.from('text'), key, signature));
  expect(results).toEqual([true, false]);
});

test('the key with the given id signs, and the other keys may be public', async () => {
  const keyId = await thumbprintOf(second);
  const keys = parseSigningKeys(textOf(publicPart(first), second, publicPart(third)), keyId);
  expect(keys.signing.keyId).toBe(keyId);
  expect(keys.signing.privateKey.type).toBe('private');
  expect([...keys.publicKeys.values()].map(({ type }) => type)).toEqual(['public', 'public', 'public']);
});

test("a key id is the RFC 7638 thumbprint, regardless of the key's kid", async () => {
  const expected = await thumbprintOf(first);
  const keys = parseSigningKeys(textOf({ ...first, kid: 'my-key', use: 'sig', alg: 'ES256' }));
  expect(keys.signing.keyId).toBe(expected);
  expect([...keys.publicKeys.keys()]).toEqual([expected]);
});

test('coordinates with padding give the same key id', async () => {
  const padded = { ...first, x: `${first.x}=`, y: `${first.y}=` };
  expect(parseSigningKeys(textOf(padded)).signing.keyId).toBe(await thumbprintOf(first));
});

test('the published set has only public members, in the order of the input', async () => {
  const { x, y } = first;
  const { jsonWebKeySet } = parseSigningKeys(textOf(first, publicPart(second)));
  const kid = await thumbprintOf(first);
  expect(jsonWebKeySet.keys[0]).toEqual({ kty: 'EC', crv: 'P-256', x, y, kid, alg: 'ES256', use: 'sig' });
  expect(jsonWebKeySet.keys[1]?.kid).toBe(await thumbprintOf(second));
  expect(JSON.stringify(jsonWebKeySet)).not.toContain('"d"');
});

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' });
const ed25519 = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
const p256 = 'is not a P-256 key for ES256; wrong or missing:';

test.each<[text: string, keys: string, message: string]>([
  ['invalid JSON', `${first.d}`, 'the keys are not valid JSON'],
  ['a bare key', JSON.stringify(first), 'the keys are not a JWK Set, an object with the array "keys"'],
  ['a list of keys', JSON.stringify([first]), 'the keys are not a JWK Set, an object with the array "keys"'],
  ['an empty set', textOf(), 'the JWK Set has no keys'],
  ['a key that is not an object', textOf(first, first.d), `keys[1] ${p256} all`],
  ['an RSA key', textOf(rsa), `keys[0] ${p256} kty, crv, x, y`],
  ['a symmetric key', textOf({ kty: 'oct', k: 'c2VjcmV0' }), `keys[0] ${p256} kty, crv, x, y`],
  ['an Ed25519 key', textOf(ed25519), `keys[0] ${p256} kty, crv, y`],
  ['a key of another curve', textOf(first, privateKey('P-384')), `keys[1] ${p256} crv`],
  ['a private key that is not a string', textOf({ ...first, d: 123456789 }), `keys[0] ${p256} d`],
  ['a key for encryption', textOf({ ...first, use: 'enc' }), `keys[0] ${p256} use`],
  ['a key for another algorithm', textOf({ ...first, alg: 'ECDH-ES' }), `keys[0] ${p256} alg`],
  ['a point that is not on the curve', textOf({ ...first, y: first.x }), 'keys[0]: x and y are not a point on P-256'],
  ['an empty private key', textOf({ ...first, d: '' }), 'keys[0]: d is not the private key of x and y'],
  ['the private key of another key', textOf({ ...first, d: second.d }), 'keys[0]: d is not the private key of x and y'],
  ['the same key twice', textOf(first, second, publicPart(first)), 'keys[2] is a duplicate'],
])('%s is rejected with a message that does not contain its values', (_case, text, message) => {
  let error: unknown;
  try {
    parseSigningKeys(text);
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toEqual(new Error(message));
  expect(error).not.toHaveProperty('cause');
});

test('an unknown signing key id is rejected with the known ids', async () => {
  const ids = [await thumbprintOf(first), await thumbprintOf(second)];
  expect(() => parseSigningKeys(textOf(first, second), first.d)).toThrow(
    new Error(`unknown signing key id; the set has ${ids.join(', ')}`),
  );
});

test.each<[string, boolean]>([
  ['named', true],
  ['the first', false],
])('a signing key without a private key is rejected by its id: %s', async (_case, isNamed) => {
  const keyId = await thumbprintOf(second);
  expect(() => parseSigningKeys(textOf(publicPart(second), first), isNamed ? keyId : undefined)).toThrow(
    new Error(`the signing key ${keyId} has no private key (d)`),
  );
});
