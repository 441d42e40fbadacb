import { formsOf } from './secret-forms';
import type { Secret } from './secret-kinds';
import { SecretSearch } from './secret-search';

const managementKey = 'mk_Jx3vQ9-ZkT0aB_8dLqWm5RyN2sUfHcEoPiVgXt7uY4w';
const contentKey = 'A0b1C2d3E4f5061728394a5B6c7D8e9F';
const header = 'Basic "quoted" & spaced/credential';
const secretKey = 'q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA=';

const found = (secret: string, text: string | Buffer): number => {
  const secrets: Secret[] = [{ kind: 'content key', value: secret }];
  return new SecretSearch(secrets).find(Buffer.from(text)).length;
};

test.each<[string, string, (secret: string) => string | Buffer]>([
  ['unchanged', managementKey, (secret) => secret],
  ['unchanged, with quotes', header, (secret) => secret],
  ['without its prefix', managementKey, (secret) => secret.slice(3)],
  ['in JSON', header, (secret) => JSON.stringify({ given: secret })],
  ['URL-encoded', header, (secret) => `?header=${encodeURIComponent(secret)}&more`],
  ['as hex', managementKey, (secret) => Buffer.from(secret).toString('hex')],
  ['as upper-case hex', managementKey, (secret) => Buffer.from(secret).toString('hex').toUpperCase()],
  ['as base64', managementKey, (secret) => Buffer.from(secret).toString('base64')],
  ['as base64url', header, (secret) => Buffer.from(secret).toString('base64url')],
  ['as base64 of a longer text', managementKey, (secret) => Buffer.from(`user:${secret}`).toString('base64')],
  ['as base64 of a still longer text', managementKey, (secret) => Buffer.from(`u:${secret} - `).toString('base64')],
  ['in the other case', contentKey, (secret) => secret.toLowerCase()],
  ['in upper case', contentKey, (secret) => secret.toUpperCase()],
  ['as the bytes that hex stands for', contentKey, (secret) => Buffer.from(secret, 'hex')],
  ['as base64 of those bytes', contentKey, (secret) => Buffer.from(secret, 'hex').toString('base64')],
  ['as base64url of those bytes', contentKey, (secret) => Buffer.from(secret, 'hex').toString('base64url')],
  ['as hex of the bytes that base64 stands for', secretKey, (secret) => Buffer.from(secret, 'base64').toString('hex')],
  ['as base64url of the bytes', secretKey, (secret) => Buffer.from(secret, 'base64').toString('base64url')],
])('a secret is found %s', (_form, secret, write) => {
  const written = Buffer.from(write(secret));
  const text = Buffer.concat([Buffer.from('{"before":"'), written, Buffer.from('"}\n')]);
  expect(found(secret, text)).toBeGreaterThan(0);
  // It is not found if one byte is missing.
  const changed = Buffer.from(text);
  const middle = 11 + Math.floor(written.length / 2);
  changed.writeUInt8(changed.readUInt8(middle) === 0x2e ? 0x2f : 0x2e, middle);
  expect(found(secret, changed)).toBe(0);
});

test('no form is so short that it would match by chance', () => {
  for (const secret of [managementKey, contentKey, header, secretKey, 'twelve chars']) {
    for (const { length } of formsOf(secret)) expect(length).toBeGreaterThanOrEqual(12);
  }
});
