// Writes .env next to docker-compose.yml with fresh secrets and prints the operator's key once. Never overwrites the file.
// Plain JavaScript, so that it runs with nothing but Node installed.
import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readArguments } from '../local/arguments.mjs';

const usage = `usage: node infra/docker/create-environment.mjs [<file>]
Writes a file with fresh secrets for Docker Compose, .env unless you name another, and prints the operator's key.`;

const [file = fileURLToPath(new URL('../../.env', import.meta.url))] = readArguments(usage, 1);
const secret = () => randomBytes(32).toString('base64url');

const operatorKey = `op_${secret()}`;
const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const variables = {
  POSTGRES_PASSWORD: secret(),
  REDIS_PASSWORD: secret(),
  OPERATOR_KEYS: `operator:${createHash('sha256').update(operatorKey).digest('hex')}`,
  SECRET_KEYS: `first:${randomBytes(32).toString('base64')}`,
  LICENSE_TOKEN_KEYS: `'${JSON.stringify({ keys: [privateKey.export({ format: 'jwk' })] })}'`,
  PLAYBACK_PUBLIC_URL: 'http://localhost:8081',
  ALLOW_INSECURE_PUBLIC_URL: 'true',
};

/** Above the line of a variable. */
const comments = {
  PLAYBACK_PUBLIC_URL:
    'To try it on this machine. For players elsewhere: the https URL at which they reach playback, without the line below it.',
};

try {
  const text = Object.entries(variables).map(
    ([name, value]) => `${name in comments ? `# ${comments[name]}\n` : ''}${name}=${value}\n`,
  );
  writeFileSync(file, text.join(''), { mode: 0o600, flag: 'wx' });
} catch (error) {
  if (error.code !== 'EEXIST') throw error;
  console.error(`${file} already exists and is not changed.`);
  process.exit(1);
}
console.log(`Wrote ${file}. The operator's key, shown only now: ${operatorKey}`);
