import { commandOptions, parseSettings, setting } from '@multi-drm/service-kit';
import { z } from 'zod';
import { databaseUrlSetting } from './database/database-url-setting';
import { describeError } from './database/describe-error';
import { createPrismaClient } from './database/prisma-client';
import { rotateSecrets } from './secrets/rotate-secrets';

const settings = z.object({
  DATABASE_URL: databaseUrlSetting,
  SECRET_KEYS: setting.secretKeys,
});

/** Timeout of a statement that scans all records. */
const statementMilliseconds = 600_000;

const usage = `usage: node dist/rotate-secrets.js
Encrypts every stored secret with the first key of SECRET_KEYS; the running control plane publishes what changed.
Prints the number of changed records.
Settings: DATABASE_URL, SECRET_KEYS.`;

/**
 * Encrypts every stored secret with the first key of SECRET_KEYS; the running control plane publishes what changed.
 * Prints the number of changed records; exit code 1 on failure, and if a record's secrets cannot be decrypted.
 */
async function main(): Promise<void> {
  const { DATABASE_URL, SECRET_KEYS } = parseSettings(settings, process.env);
  const [first, ...others] = SECRET_KEYS;
  if (first === undefined) throw new Error('SECRET_KEYS is required');
  const prisma = createPrismaClient(DATABASE_URL, { statementMilliseconds });
  try {
    const { renewed, unreadable } = await rotateSecrets(prisma, [first, ...others]);
    process.stdout.write(`${renewed}\n`);
    if (unreadable.length === 0) return;
    const lines = unreadable.map(({ name, error }) => `  ${name}: ${describeError(error)}`);
    throw new Error(`secrets that cannot be decrypted were left unchanged:\n${lines.join('\n')}`);
  } finally {
    await prisma.$disconnect();
  }
}

commandOptions({ usage, settings: Object.keys(settings.shape) });
main().catch((error: unknown) => {
  process.stderr.write(`rotating the secrets failed: ${describeError(error)}\n`);
  process.exitCode = 1;
});
