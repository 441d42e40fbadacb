import { createHash, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AddressGuard, appMessages, type RedisClient, type ResolveHost } from '@multi-drm/service-kit';
import { UnreadEvents } from '@multi-drm/slots';
import { cloneDatabase, rememberSecrets, secretsOfSettings, sharedRedisSettings } from '@multi-drm/test-kit';
import supertest from 'supertest';
import type { RandomBytes } from '../access/credentials';
import { createIssuerClient } from '../access/issuer-documents';
import { ActiveSessionCounter } from '../active-sessions/active-session-counter';
import { createApp } from '../app';
import { shippedMigrations } from '../database/migrate';
import { createPrismaClient } from '../database/prisma-client';
import { storedUntil } from '../events/oldest-unread';
import { createTestTransport } from '../features/drm-systems/test-transport';
import { createHealth } from '../features/health/create-health';
import type { RegistrationLimiter } from '../features/registrations/registration-limiter';
import { createSessionSlots } from '../features/sessions/create-session-slots';
import type { PrismaClient } from '../generated/prisma/client';
import type { ChangedDocument } from '../publishing/changed-documents';
import { readSettings } from '../settings';
import { WebhookSender } from '../webhooks/webhook-sender';
import { type LogEntry, recordingLogger } from './recording-logger';
import { connectToRedis } from './redis';

/** The operator's key in tests. */
export const operatorKey = 'op_operator-key-of-the-tests';

interface TestOptions {
  /** Environment variables that override those of the tests. */
  environment?: Record<string, string>;
  /** Instead of the Redis that all suites share. */
  redisUrl?: string;
  /** Instead of a separate database for the suite. */
  databaseUrl?: string;
  randomBytes?: RandomBytes;
  registrationLimiter?: RegistrationLimiter;
  /** Instead of one that sends. */
  webhookSender?: Pick<WebhookSender, 'send'>;
  /** Stores events, instead of nothing. */
  readEvents?: () => Promise<void>;
  /** Resolves the hosts of identity providers and webhook endpoints instead of DNS. */
  resolve?: ResolveHost;
}

/**
 * The control plane behind HTTP on a real database, with a clock that the test sets. Responses are validated against
 * the OpenAPI document.
 */
export interface TestControlPlane {
  databaseUrl: string;
  url: string;
  api: ReturnType<typeof supertest>;
  prisma: PrismaClient;
  redis: RedisClient;
  /** `monotonic`: milliseconds. */
  clock: { now: Date; monotonic: number };
  /** The log, oldest first. */
  log: LogEntry[];
  /** How often the publisher was woken. */
  wakes(): number;
  /** The documents that responses were delayed for, oldest first. */
  waitedFor: ChangedDocument[];
}

const closers: (() => Promise<unknown>)[] = [];

afterAll(async () => {
  for (const close of closers) await close();
});

/** Starts a control plane, which stops with the suite. */
export async function startControlPlane(options: TestOptions = {}): Promise<TestControlPlane> {
  const database = options.databaseUrl === undefined ? await cloneDatabase() : undefined;
  const databaseUrl = options.databaseUrl ?? database?.url ?? '';
  const prisma = createPrismaClient(databaseUrl);
  const clock = { now: new Date('2026-03-01T10:00:00.000Z'), monotonic: 0 };
  const log: LogEntry[] = [];
  const logger = recordingLogger(log);
  let wakes = 0;
  const waitedFor: ChangedDocument[] = [];
  const environment = {
    DATABASE_URL: databaseUrl,
    REDIS_URL: 'redis://unused',
    OPERATOR_KEYS: `operations:${createHash('sha256').update(operatorKey).digest('hex')}`,
    SECRET_KEYS: `tests:${Buffer.alloc(32, 7).toString('base64')}`,
    // Identity providers and license servers of tests listen on loopback.
    OUTBOUND_ALLOWED_HOSTS: '127.0.0.1',
    WEBHOOK_ALLOWED_HOSTS: '127.0.0.1',
    // The clock of a test stands still, so per-minute counts would never expire.
    ORGANIZATION_REQUESTS_PER_MINUTE: '10000000',
    ORGANIZATION_REQUESTS_AT_ONCE: '1000',
    UNAUTHENTICATED_REQUESTS_PER_MINUTE: '10000000',
    REFUSED_REQUESTS_PER_CREDENTIAL_PER_MINUTE: '10000000',
    ...options.environment,
  };
  rememberSecrets(secretsOfSettings(environment));
  const settings = readSettings(environment);
  const guard = new AddressGuard(settings.OUTBOUND_ALLOWED_HOSTS);
  const issuerClient = createIssuerClient({
    guard,
    ...(options.resolve === undefined ? {} : { resolve: options.resolve }),
  });
  const licenseTransport = createTestTransport(guard, settings.LICENSE_BACKEND_TIMEOUT_MILLISECONDS);
  const webhookGuard = new AddressGuard(settings.WEBHOOK_ALLOWED_HOSTS);
  const webhookSender = new WebhookSender({
    guard: webhookGuard,
    now: () => clock.now.getTime(),
    monotonicNow: () => performance.now(),
    ...(options.resolve === undefined ? {} : { resolve: options.resolve }),
  });
  const { redisUrl } = options;
  const redis = await connectToRedis(redisUrl === undefined ? sharedRedisSettings() : { REDIS_URL: redisUrl });
  const unread = new UnreadEvents(redis);
  const app = createApp({
    settings,
    guard,
    issuerClient,
    licenseTransport,
    webhookGuard,
    webhookSender: options.webhookSender ?? webhookSender,
    database: prisma,
    publisher: {
      wake: () => {
        wakes += 1;
      },
      whenPublished: async (documents) => void waitedFor.push(...documents),
    },
    activeSessions: new ActiveSessionCounter(redis),
    sessionSlots: createSessionSlots({ database: prisma, redis, settings, logger, processNow: Date.now }),
    readEvents: options.readEvents ?? (async () => undefined),
    storedUntil: () => storedUntil(unread, clock.now),
    registrationLimiter: options.registrationLimiter ?? { admit: async () => undefined },
    health: createHealth({
      database: prisma,
      migrations: shippedMigrations(),
      version: '1.2.3',
      logger,
      // Test and service share one event loop, and the first query opens the connection.
      timeoutMilliseconds: 10_000,
    }),
    logger,
    now: () => clock.now,
    monotonicNow: () => clock.monotonic,
    randomBytes: options.randomBytes ?? randomBytes,
    validateResponses: true,
  });
  const server = createServer(appMessages(app), app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(async () => {
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
    issuerClient.close();
    licenseTransport.close();
    webhookSender.close();
    redis.disconnect();
    await prisma.$disconnect();
    await database?.drop();
  });
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  return { databaseUrl, url, api: supertest(url), prisma, redis, clock, log, wakes: () => wakes, waitedFor };
}
