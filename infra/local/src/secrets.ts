import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readJson, writePrivateJson } from './private-file';

/** Secrets that are created once and kept in the data folder. */
export interface LocalSecrets {
  /** The platform operator's key, `op_…`. */
  operatorKey: string;
  postgresPassword: string;
  redisPassword: string;
  /** The key with which the control plane encrypts secrets and playback decrypts them, 32 bytes in base64. */
  secretKey: string;
  /** A JWK Set with one private P-256 key, which signs license tokens. */
  licenseTokenKeysFile: string;
}

/** Reads the secrets of a data folder and creates missing ones. */
export function loadSecrets(dataFolder: string): LocalSecrets {
  const file = join(dataFolder, 'secrets.json');
  const kept = (readJson(file) ?? {}) as Partial<LocalSecrets>;
  const licenseTokenKeysFile = join(dataFolder, 'license-token-keys.json');
  const secrets = {
    operatorKey: kept.operatorKey ?? `op_${randomSecret()}`,
    postgresPassword: kept.postgresPassword ?? randomSecret(),
    redisPassword: kept.redisPassword ?? randomSecret(),
    secretKey: kept.secretKey ?? randomBytes(32).toString('base64'),
  };
  writePrivateJson(file, secrets);
  if (!existsSync(licenseTokenKeysFile)) writePrivateJson(licenseTokenKeysFile, { keys: [makeSigningKey()] });
  return { ...secrets, licenseTokenKeysFile };
}

/** Returns the value of the control plane's setting OPERATOR_KEYS for a key: a name and its hash. */
export function operatorKeySetting(operatorKey: string): string {
  return `local:${createHash('sha256').update(operatorKey).digest('hex')}`;
}

function randomSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** Creates a private ES256 key as a JSON Web Key; its id is its RFC 7638 thumbprint. */
function makeSigningKey(): object {
  const key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' });
  const { crv, kty, x, y } = key;
  const kid = createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url');
  return { ...key, kid, alg: 'ES256', use: 'sig' };
}
