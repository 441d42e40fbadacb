import { createHash, createPrivateKey, type JsonWebKey } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writePrivateJson } from './private-file';
import { loadSecrets, operatorKeySetting } from './secrets';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'secrets-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('secrets are created once, readable only by the owner', () => {
  const first = loadSecrets(folder);
  expect(loadSecrets(folder)).toEqual(first);
  expect(readdirSync(folder)).toHaveLength(2);
  for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
});

test('the license token keys stay the same, so that tokens remain valid after a restart', () => {
  const text = readFileSync(loadSecrets(folder).licenseTokenKeysFile, 'utf8');
  expect(readFileSync(loadSecrets(folder).licenseTokenKeysFile, 'utf8')).toBe(text);
});

test('the license token key is a private P-256 key', () => {
  const { keys } = JSON.parse(readFileSync(loadSecrets(folder).licenseTokenKeysFile, 'utf8')) as { keys: JsonWebKey[] };
  expect(keys).toHaveLength(1);
  const key = createPrivateKey({ key: keys[0] ?? {}, format: 'jwk' });
  expect(key.asymmetricKeyDetails).toEqual({ namedCurve: 'prime256v1' });
});

test('a data folder without a secret key gets one and keeps the rest', () => {
  const { secretKey, licenseTokenKeysFile: _, ...rest } = loadSecrets(folder);
  expect(Buffer.from(secretKey, 'base64')).toHaveLength(32);
  writePrivateJson(join(folder, 'secrets.json'), rest);
  const renewed = loadSecrets(folder);
  expect(renewed).toMatchObject(rest);
  expect(renewed.secretKey).not.toBe(secretKey);
});

test('the operator key has 256 random bits, and its setting contains the hash of the whole key', () => {
  const { operatorKey } = loadSecrets(folder);
  expect(operatorKey).toMatch(/^op_[\w-]{43}$/);
  expect(operatorKeySetting(operatorKey)).toBe(`local:${createHash('sha256').update(operatorKey).digest('hex')}`);
});
