import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  AddressGuard,
  commandOptions,
  createLogger,
  createRedisClient,
  Metrics,
  noteClockSteps,
  requireUsableRedis,
  runService,
  startProcess,
  warnUnlessAppendOnly,
  warnUnlessNoEviction,
  watchedClock,
} from '@multi-drm/service-kit';
import { createIssuerClient } from './access/issuer-documents';
import { ActiveSessionCounter } from './active-sessions/active-session-counter';
import { createApp } from './app';
import { shippedMigrations } from './database/migrate';
import { createPrismaClient } from './database/prisma-client';
import { requireUsableDatabase } from './database/require-usable-database';
import { createTestTransport } from './features/drm-systems/test-transport';
import { createHealth } from './features/health/create-health';
import { addPendingOrganizationsGauge } from './features/registrations/pending-organizations';
import { createRegistrationLimiter } from './features/registrations/registration-limiter';
import { ApiClientUseCollector } from './publishing/api-client-use-collector';
import { addOutboxGauges } from './publishing/outbox-lag';
import { Publisher } from './publishing/publisher';
import { SecretKeysPublisher } from './publishing/secret-keys-publisher';
import { readSettings, settingNames } from './settings';
import { controlPlaneWarnings } from './settings-warnings';

const service = 'control-plane';

async function main(): Promise<void> {
  const settings = readSettings(process.env);
  const logger = createLogger({ service, level: settings.LOG_LEVEL });
  for (const warning of controlPlaneWarnings(settings, process.env)) logger.warn(warning);

  const prisma = createPrismaClient(settings.DATABASE_URL, {
    onConnected: ({ schema }) => logger.info('connected to PostgreSQL', { schema }),
    onConnectionError: (error) => logger.warn('a database connection broke', { error }),
  });
  await requireUsableDatabase(prisma);
  const redis = createRedisClient({ servers: settings.redis, name: service, logger });
  warnUnlessNoEviction(redis, logger);
  warnUnlessAppendOnly(redis, logger);
  await requireUsableRedis(redis, settings.redis, logger);
  const metrics = new Metrics(logger);
  addOutboxGauges(metrics, prisma);
  addPendingOrganizationsGauge(metrics, prisma);
  const monotonicNow = () => performance.now();
  const count = metrics.addCounter(
    'multi_drm_clock_steps_total',
    'How often the clock of this machine was set by over a second.',
  );
  const onClockStep = noteClockSteps({ clock: service, logger, monotonicNow, count });
  const secretKeys = new SecretKeysPublisher({ redis, keys: settings.SECRET_KEYS, logger });
  const publisher = new Publisher({ prisma, redis, logger, onNewGeneration: () => secretKeys.publish() });
  const collector = new ApiClientUseCollector({ prisma, redis, logger });
  const health = createHealth({
    database: prisma,
    migrations: shippedMigrations(),
    version: ownVersion(),
    logger,
  });
  const guard = new AddressGuard(settings.OUTBOUND_ALLOWED_HOSTS);
  const issuerClient = createIssuerClient({ guard });
  const licenseTransport = createTestTransport(guard, settings.LICENSE_BACKEND_TIMEOUT_MILLISECONDS);
  const app = createApp({
    settings,
    database: prisma,
    publisher,
    guard,
    issuerClient,
    licenseTransport,
    activeSessions: new ActiveSessionCounter(redis),
    registrationLimiter: createRegistrationLimiter(redis, settings.REGISTRATIONS_PER_HOUR),
    health,
    logger,
    onAnswered: metrics.countRequest,
    now: watchedClock({ wallNow: Date.now, monotonicNow, onStep: onClockStep }),
    monotonicNow,
    randomBytes,
    validateResponses: false,
  });

  // When the process has time for answers of Redis.
  secretKeys.start();
  publisher.start();
  collector.start();
  await runService({
    app,
    host: settings.HOST,
    port: settings.PORT,
    metrics,
    metricsPort: settings.METRICS_PORT,
    health,
    logger,
    keepAliveSeconds: settings.KEEP_ALIVE_SECONDS,
    shutdownDelay: settings.SHUTDOWN_DELAY_MILLISECONDS,
    shutdownGrace: settings.SHUTDOWN_GRACE_MILLISECONDS,
    closers: [
      () => publisher.stop(),
      async () => secretKeys.stop(),
      () => collector.stop(),
      () => prisma.$disconnect(),
      async () => redis.disconnect(),
      async () => issuerClient.close(),
      async () => licenseTransport.close(),
    ],
  });
}

/** The version in package.json, which is the parent folder of both `src` and `dist`. */
function ownVersion(): string {
  const { version } = JSON.parse(readFileSync(join(__dirname, '../package.json'), 'utf8')) as { version: string };
  return version;
}

const usage = `usage: node dist/main.js
Starts the service, and runs until SIGTERM or SIGINT. Its settings are environment variables:
${settingNames.join(' ')}`;

commandOptions({ usage });
startProcess(createLogger({ service, level: 'info' }), main);
