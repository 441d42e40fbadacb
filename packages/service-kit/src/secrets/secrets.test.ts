import { randomBytes } from 'node:crypto';
import { parseSecretKeys } from './secret-keys';
import { Secrets } from './secrets';

const first = { id: 'first', key: randomBytes(32) };
const second = { id: 'second', key: randomBytes(32) };
const secrets = new Secrets([first], randomBytes);
const place = { recordId: 'record', field: 'signingKey' };
const plaintext = 'schlüssel 🔑';
const encrypt = () => secrets.encrypt(place, plaintext);

test('what was encrypted is decrypted in its own place', () => {
  expect(secrets.decrypt(place, encrypt())).toBe(plaintext);
  const empty = { recordId: 'record', field: 'empty' };
  expect(secrets.decrypt(empty, secrets.encrypt(empty, ''))).toBe('');
});

test('the text names its key, and never holds the secret in the clear', () => {
  expect(encrypt()).toMatch(/^v1\.first\.[\w-]{16}\.[\w-]{22}\.[\w-]+$/);
  expect(Buffer.from(encrypt().split('.')[4] ?? '', 'base64url').toString('utf8')).not.toContain('schl');
});

test('equal secrets do not look alike', () => {
  expect(encrypt()).not.toBe(encrypt());
});

test.each([
  ['record', 'other', 'signingKey'],
  ['field', 'record', 'signingIv'],
  ['split into record and field', 'recordsigning', 'Key'],
])('a secret that was moved to another %s is refused', (_case, recordId, field) => {
  const text = encrypt();
  expect(() => secrets.decrypt({ recordId, field }, text)).toThrow();
});

test.each([2, 3, 4])('a secret whose part %i was changed is refused', (part) => {
  const parts = encrypt().split('.');
  const bytes = Buffer.from(parts[part] ?? '', 'base64url');
  bytes[0] = (bytes[0] ?? 0) ^ 1;
  parts[part] = bytes.toString('base64url');
  expect(() => secrets.decrypt(place, parts.join('.'))).toThrow();
});

test('a tag that was cut short is refused', () => {
  const parts = encrypt().split('.');
  parts[3] = (parts[3] ?? '').slice(0, 6);
  expect(() => secrets.decrypt(place, parts.join('.'))).toThrow('a stored secret is malformed');
});

test.each(['', 'v1', 'plain text', 'v2.first.AAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAA.'])(
  'the text %j, which is no secret, is refused',
  (text) => {
    expect(() => secrets.decrypt(place, text)).toThrow('a stored secret is malformed');
  },
);

test('the first key encrypts, and those behind it still decrypt', () => {
  const old = encrypt();
  const rotated = new Secrets([second, first], randomBytes);
  expect(rotated.decrypt(place, old)).toBe(plaintext);
  const renewed = rotated.encrypt(place, plaintext);
  expect(renewed).toMatch(/^v1\.second\./);
  expect(() => secrets.decrypt(place, renewed)).toThrow('SECRET_KEYS lacks the key second');
});

test('a secret under another key of the same id is refused', () => {
  const other = new Secrets([{ id: 'first', key: second.key }], randomBytes);
  const text = encrypt();
  expect(() => other.decrypt(place, text)).toThrow();
});

test('a key that is renamed decrypts nothing: its id is part of what is authenticated', () => {
  const renamed = new Secrets([{ id: 'other', key: first.key }], randomBytes);
  const text = encrypt().replace('v1.first.', 'v1.other.');
  expect(() => renamed.decrypt(place, text)).toThrow();
});

test('without a key nothing is encrypted', () => {
  expect(() => new Secrets([], randomBytes).encrypt(place, plaintext)).toThrow(
    expect.objectContaining({ code: 'service_unavailable', headers: { 'Retry-After': '3600' } }),
  );
});

test('a secret is renewed under the first key, and stays as it is where it is under that one', () => {
  const rotated = new Secrets([second, first]);
  const renewed = rotated.renew(place, encrypt());
  expect(renewed).toMatch(/^v1\.second\./);
  expect(new Secrets([second]).decrypt(place, renewed)).toBe(plaintext);
  expect(rotated.renew(place, renewed)).toBe(renewed);
});

test.each([
  ['was moved', { recordId: 'other', field: 'signingKey' }, 'first'],
  ['is under an unknown key', place, 'third'],
])('a secret that %s is not renewed', (_case, from, keyId) => {
  const text = encrypt().replace('v1.first.', `v1.${keyId}.`);
  expect(() => new Secrets([first]).renew(from, text)).toThrow();
  expect(() => new Secrets([second, first]).renew(from, text)).toThrow();
});

test('keys are read as ids with 32 bytes in base64', () => {
  const text = [first, second].map(({ id, key }) => `${id}:${key.toString('base64')}`).join(', ');
  expect(parseSecretKeys(text)).toEqual({ keys: [first, second], faults: [] });
});

test('each faulty entry is told by its place, never by its value', () => {
  const key = first.key.toString('base64');
  const { faults } = parseSecretKeys(`a:${key},a:${key},b:${randomBytes(16).toString('base64')},${key},c.d:${key}`);
  expect(faults).toEqual([
    'entry 2 repeats a key id',
    'entry 3 must be keyId:key, the key being 32 bytes in base64',
    'entry 4 must be keyId:key, the key being 32 bytes in base64',
    'entry 5 must be keyId:key, the key being 32 bytes in base64',
  ]);
});
