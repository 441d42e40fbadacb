import { parseSettings, setting } from '@multi-drm/service-kit';
import { z } from 'zod';
import { describeError } from './database/describe-error';
import { createPrismaClient } from './database/prisma-client';
import { rotateSecrets } from './secrets/rotate-secrets';
import { StoredSecretsStore } from './secrets/stored-secrets-store';

const settings = z.object({
  DATABASE_URL: setting.url(['postgresql:', 'postgres:']),
  SECRET_KEYS: setting.secretKeys,
});

/** Of a statement that looks through every record there is. */
const statementMilliseconds = 600_000;

/**
 * Encrypts every stored secret under the first key of SECRET_KEYS; the running control plane publishes what changed. Prints
 * the number of records that changed; exit code 1 on failure, and where a record's secrets cannot be decrypted.
 */
async function main(): Promise<void> {
  const { DATABASE_URL, SECRET_KEYS } = parseSettings(settings, process.env);
  const [first, ...others] = SECRET_KEYS;
  if (first === undefined) throw new Error('SECRET_KEYS is required');
  const prisma = createPrismaClient(DATABASE_URL, { statementMilliseconds });
  try {
    const { renewed, unreadable } = await rotateSecrets(new StoredSecretsStore(prisma), [first, ...others]);
    process.stdout.write(`${renewed}\n`);
    if (unreadable.length === 0) return;
    const lines = unreadable.map(({ name, error }) => `  ${name}: ${describeError(error)}`);
    throw new Error(`secrets that cannot be decrypted stay as they are:\n${lines.join('\n')}`);
  } finally {
    await prisma.$disconnect();
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`rotating the secrets failed: ${describeError(error)}\n`);
  process.exitCode = 1;
});
