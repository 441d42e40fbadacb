// Writes .env next to docker-compose.yml with fresh secrets and prints the operator's key once. Never overwrites the file.
// Plain JavaScript, so that it runs with nothing but Node installed.
import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const file = process.argv[2] ?? fileURLToPath(new URL('../../.env', import.meta.url));
const secret = () => randomBytes(32).toString('base64url');

const operatorKey = `op_${secret()}`;
const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const variables = {
  POSTGRES_PASSWORD: secret(),
  REDIS_PASSWORD: secret(),
  OPERATOR_KEYS: `operator:${createHash('sha256').update(operatorKey).digest('hex')}`,
  SECRET_KEYS: `first:${randomBytes(32).toString('base64')}`,
  LICENSE_TOKEN_KEYS: `'${JSON.stringify({ keys: [privateKey.export({ format: 'jwk' })] })}'`,
};

try {
  const text = Object.entries(variables).map(([name, value]) => `${name}=${value}\n`);
  writeFileSync(file, text.join(''), { mode: 0o600, flag: 'wx' });
} catch (error) {
  if (error.code !== 'EEXIST') throw error;
  console.error(`${file} already exists and is not changed.`);
  process.exit(1);
}
console.log(`Wrote ${file}. The operator's key, shown only now: ${operatorKey}`);
