import {
  commandOptions,
  createLogger,
  createRedisClient,
  parseSettings,
  type RedisServers,
  redisSettingNames,
  redisSettings,
  requireUsableRedis,
} from '@multi-drm/service-kit';
import { z } from 'zod';
import { databaseUrlSetting } from './database/database-url-setting';
import { describeError } from './database/describe-error';
import { createPrismaClient } from './database/prisma-client';
import { addEntriesForEverything } from './publishing/all-outbox-entries';
import { untilReady } from './publishing/document-writer';
import { LostDocuments } from './publishing/lost-documents';

const settings = z.object({ DATABASE_URL: databaseUrlSetting });

/** Timeout of a statement over all records. */
const statementMilliseconds = 600_000;

const usage = `usage: node dist/republish.js [--missing]
Has the running control plane publish everything again; with --missing only what is missing or outdated in Redis.
Prints the number of documents.
Settings: DATABASE_URL; with --missing also those of Redis.`;

/**
 * `republish`: has the running control plane publish everything again. `republish --missing`: only what is missing or
 * outdated in Redis. Prints the number of documents; exit code 1 on failure.
 */
async function main(options: ReadonlySet<string>): Promise<void> {
  const { DATABASE_URL } = parseSettings(settings, process.env);
  const prisma = createPrismaClient(DATABASE_URL, { statementMilliseconds });
  try {
    const count = options.has('missing')
      ? await addEntriesForMissing(prisma, parseSettings(redisSettings, process.env).redis)
      : await addEntriesForEverything(prisma);
    process.stdout.write(`${count}\n`);
  } finally {
    await prisma.$disconnect();
  }
}

async function addEntriesForMissing(prisma: ReturnType<typeof createPrismaClient>, servers: RedisServers) {
  const logger = createLogger({ service: 'republish', level: 'error' });
  const redis = createRedisClient({ servers, name: 'republish', logger, commandTimeout: 10_000 });
  try {
    await untilReady(redis);
    await requireUsableRedis(redis, servers, logger);
    return await new LostDocuments({ prisma, redis }).checkAll();
  } finally {
    redis.disconnect();
  }
}

main(
  commandOptions({ usage, options: ['missing'], settings: [...Object.keys(settings.shape), ...redisSettingNames] }),
).catch((error: unknown) => {
  process.stderr.write(`republishing failed: ${describeError(error)}\n`);
  process.exitCode = 1;
});
