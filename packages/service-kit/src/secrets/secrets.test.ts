import { randomBytes } from 'node:crypto';
import { canDecryptProbe, keyIdsOf, secretKeyProbes } from './secret-key-probes';
import { parseSecretKeys } from './secret-keys';
import { Secrets } from './secrets';

const first = { id: 'first', key: randomBytes(32) };
const second = { id: 'second', key: randomBytes(32) };
const secrets = new Secrets([first], randomBytes);
const place = { recordId: 'record', field: 'signingKey' };
const plaintext = 'schlüssel 🔑';
const encrypt = () => secrets.encrypt(place, plaintext);

test('an encrypted secret can be decrypted in its own place', () => {
  expect(secrets.decrypt(place, encrypt())).toBe(plaintext);
  const empty = { recordId: 'record', field: 'empty' };
  expect(secrets.decrypt(empty, secrets.encrypt(empty, ''))).toBe('');
});

test('the ciphertext names its key and does not contain the plaintext', () => {
  expect(encrypt()).toMatch(/^v1\.first\.[\w-]{16}\.[\w-]{22}\.[\w-]+$/);
  expect(Buffer.from(encrypt().split('.')[4] ?? '', 'base64url').toString('utf8')).not.toContain('schl');
});

test('equal secrets have different ciphertexts', () => {
  expect(encrypt()).not.toBe(encrypt());
});

test.each([
  ['record', 'other', 'signingKey'],
  ['field', 'record', 'signingIv'],
  ['split into record and field', 'recordsigning', 'Key'],
])('a secret that was moved to another %s is rejected', (_case, recordId, field) => {
  const text = encrypt();
  expect(() => secrets.decrypt({ recordId, field }, text)).toThrow();
});

test.each([2, 3, 4])('a secret whose part %i was modified is rejected', (part) => {
  const parts = encrypt().split('.');
  const bytes = Buffer.from(parts[part] ?? '', 'base64url');
  bytes[0] = (bytes[0] ?? 0) ^ 1;
  parts[part] = bytes.toString('base64url');
  expect(() => secrets.decrypt(place, parts.join('.'))).toThrow();
});

test('a shortened tag is rejected', () => {
  const parts = encrypt().split('.');
  parts[3] = (parts[3] ?? '').slice(0, 6);
  expect(() => secrets.decrypt(place, parts.join('.'))).toThrow('a stored secret is malformed');
});

test.each(['', 'v1', 'plain text', 'v2.first.AAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAA.'])(
  'the text %j, which is not a secret, is rejected',
  (text) => {
    expect(() => secrets.decrypt(place, text)).toThrow('a stored secret is malformed');
  },
);

test('the first key encrypts, and the others still decrypt', () => {
  const old = encrypt();
  const rotated = new Secrets([second, first], randomBytes);
  expect(rotated.decrypt(place, old)).toBe(plaintext);
  const renewed = rotated.encrypt(place, plaintext);
  expect(renewed).toMatch(/^v1\.second\./);
  expect(() => secrets.decrypt(place, renewed)).toThrow('SECRET_KEYS has no key second');
});

test('a secret encrypted with another key of the same id is rejected', () => {
  const other = new Secrets([{ id: 'first', key: second.key }], randomBytes);
  const text = encrypt();
  expect(() => other.decrypt(place, text)).toThrow();
});

test('a renamed key decrypts nothing, because its id is authenticated', () => {
  const renamed = new Secrets([{ id: 'other', key: first.key }], randomBytes);
  const text = encrypt().replace('v1.first.', 'v1.other.');
  expect(() => renamed.decrypt(place, text)).toThrow();
});

test('without a key nothing can be encrypted', () => {
  expect(() => new Secrets([], randomBytes).encrypt(place, plaintext)).toThrow(
    expect.objectContaining({ code: 'service_unavailable', headers: { 'Retry-After': '3600' } }),
  );
});

test('a secret is re-encrypted with the first key, and unchanged if that key encrypted it', () => {
  const rotated = new Secrets([second, first]);
  const renewed = rotated.renew(place, encrypt());
  expect(renewed).toMatch(/^v1\.second\./);
  expect(new Secrets([second]).decrypt(place, renewed)).toBe(plaintext);
  expect(rotated.renew(place, renewed)).toBe(renewed);
});

test.each([
  ['was moved', { recordId: 'other', field: 'signingKey' }, 'first'],
  ['has an unknown key', place, 'third'],
])('a secret that %s is not re-encrypted', (_case, from, keyId) => {
  const text = encrypt().replace('v1.first.', `v1.${keyId}.`);
  expect(() => new Secrets([first]).renew(from, text)).toThrow();
  expect(() => new Secrets([second, first]).renew(from, text)).toThrow();
});

test('keys are parsed as ids with 32 bytes in base64', () => {
  const text = [first, second].map(({ id, key }) => `${id}:${key.toString('base64')}`).join(', ');
  expect(parseSecretKeys(text)).toEqual({ keys: [first, second], errors: [] });
});

test('each invalid entry is reported by its position, never by its value', () => {
  const key = first.key.toString('base64');
  const { errors } = parseSecretKeys(`a:${key},a:${key},b:${randomBytes(16).toString('base64')},${key},c.d:${key}`);
  expect(errors).toEqual([
    'entry 2 repeats a key id',
    'entry 3 must be keyId:key, where key is 32 bytes in base64',
    'entry 4 must be keyId:key, where key is 32 bytes in base64',
    'entry 5 must be keyId:key, where key is 32 bytes in base64',
  ]);
});

test('probes tell whether another process has one of the keys, by their bytes and not only by their ids', () => {
  const third = { id: 'third', key: randomBytes(32) };
  const canDecrypt = (...keys: (typeof first)[]) =>
    canDecryptProbe(new Secrets(keys), secretKeyProbes([second, first]));
  expect([canDecrypt(first), canDecrypt(second), canDecrypt(third, first)]).toEqual([true, true, true]);
  expect([canDecrypt(third), canDecrypt({ ...third, id: 'first' }), canDecrypt()]).toEqual([false, false, false]);
  expect(keyIdsOf(secretKeyProbes([second, first]))).toEqual(['second', 'first']);
});
