// Writes .env beside docker-compose.yml with fresh secrets, and says the operator's key once. Never overwrites.
// Plain JavaScript, so that Node alone can run it on a host that has nothing installed.
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
  console.error(`${file} is there already and stays as it is.`);
  process.exit(1);
}
console.log(`Wrote ${file}. The operator's key, shown this once: ${operatorKey}`);
