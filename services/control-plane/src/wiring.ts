import { randomBytes } from 'node:crypto';
import {
  AddressGuard,
  type CompletedRequest,
  createRedisClient,
  HashKeySeal,
  type Health,
  type Logger,
  noteClockSteps,
  type RedisClient,
  watchedClock,
} from '@multi-drm/service-kit';
import type { Express } from 'express';
import { createIssuerClient } from './access/issuer-documents';
import { ActiveSessionCounter } from './active-sessions/active-session-counter';
import { createApp } from './app';
import { shippedMigrations } from './database/migrate';
import { createPrismaClient } from './database/prisma-client';
import { type EventCounters, EventTask } from './events/event-task';
import { storedUntil } from './events/oldest-unread';
import { createTestTransport } from './features/drm-systems/test-transport';
import { createHealth } from './features/health/create-health';
import { createRegistrationLimiter } from './features/registrations/registration-limiter';
import { createSessionSlots } from './features/sessions/create-session-slots';
import type { PrismaClient } from './generated/prisma/client';
import { ApiClientUseCollector } from './publishing/api-client-use-collector';
import { Publisher } from './publishing/publisher';
import { SecretKeysPublisher } from './publishing/secret-keys-publisher';
import { readSubjectBuckets } from './publishing/subject-hash-key';
import type { Settings } from './settings';
import { UsageTask } from './usage/usage-task';
import type { DeliveryOutcome } from './webhooks/delivery-results';
import { WebhookSender } from './webhooks/webhook-sender';
import { WebhookTask } from './webhooks/webhook-task';

interface WiringOptions {
  settings: Settings;
  version: string;
  logger: Logger;
  /** Called for each request when its response is complete. */
  onCompleted: (request: CompletedRequest) => void;
  /** Called each time the clock of this machine was set. */
  onClockStep: () => void;
  eventCounters: EventCounters;
  /** Counts attempts to deliver webhooks by what became of the delivery. */
  countDeliveries: (outcome: DeliveryOutcome, count: number) => void;
}

/** The assembled service. */
interface Wiring {
  app: Express;
  health: Health;
  prisma: PrismaClient;
  redis: RedisClient;
  events: EventTask;
  webhooks: WebhookTask;
  /** Starts what the process does besides answering calls. */
  start(): void;
  /** Stop that and close every connection, in this order. */
  closers: (() => Promise<unknown>)[];
}

/** Assembles the service from its settings and connects to Redis. */
export function wireControlPlane(options: WiringOptions): Wiring {
  const { settings, version, logger, onCompleted, onClockStep, eventCounters, countDeliveries } = options;
  const service = 'control-plane';
  const hashKeySeal = new HashKeySeal(settings.SECRET_KEYS);
  const prisma = createPrismaClient(settings.DATABASE_URL, {
    hashKeySeal,
    onConnected: ({ schema }) => logger.info('connected to PostgreSQL', { schema }),
    onConnectionError: (error) => logger.warn('a database connection broke', { error }),
  });
  const redis = createRedisClient({ servers: settings.redis, name: service, logger });
  const secretKeys = new SecretKeysPublisher({ redis, keys: settings.SECRET_KEYS, logger });
  const publisher = new Publisher({ prisma, redis, logger, hashKeySeal, onNewGeneration: () => secretKeys.publish() });
  const collector = new ApiClientUseCollector({ prisma, redis, logger });
  const health = createHealth({ database: prisma, migrations: shippedMigrations(), version, logger });
  const guard = new AddressGuard(settings.OUTBOUND_ALLOWED_HOSTS);
  const issuerClient = createIssuerClient({ guard });
  const licenseTransport = createTestTransport(guard, settings.LICENSE_BACKEND_TIMEOUT_MILLISECONDS);
  const monotonicNow = () => performance.now();
  const processNow = () => performance.timeOrigin + performance.now();
  const onStep = noteClockSteps({ clock: service, logger, monotonicNow, count: onClockStep });
  const webhookGuard = new AddressGuard(settings.WEBHOOK_ALLOWED_HOSTS);
  const webhookSender = new WebhookSender({ guard: webhookGuard, now: Date.now, monotonicNow });
  const events = new EventTask({
    connectionString: settings.DATABASE_URL,
    redis,
    readBuckets: () => readSubjectBuckets(prisma),
    eventDays: settings.EVENT_RETENTION_DAYS,
    logger,
    counters: eventCounters,
    monotonicNow,
  });
  const webhooks = new WebhookTask({
    connectionString: settings.DATABASE_URL,
    database: prisma,
    sender: webhookSender,
    secretKeys: settings.SECRET_KEYS,
    retrySeconds: settings.WEBHOOK_RETRY_SECONDS,
    logger,
    count: countDeliveries,
    now: () => new Date(),
    monotonicNow,
  });
  const usage = new UsageTask({ connectionString: settings.DATABASE_URL, logger, monotonicNow });
  const app = createApp({
    settings,
    database: prisma,
    publisher,
    guard,
    issuerClient,
    licenseTransport,
    webhookGuard,
    webhookSender,
    activeSessions: new ActiveSessionCounter(redis),
    sessionSlots: createSessionSlots({ database: prisma, redis, settings, logger, processNow }),
    readEvents: () => events.readNow(),
    storedUntil: () => storedUntil(events.unread, new Date()),
    registrationLimiter: createRegistrationLimiter(redis, settings.REGISTRATIONS_PER_HOUR),
    health,
    logger,
    onCompleted,
    now: watchedClock({ wallNow: Date.now, monotonicNow, onStep }),
    monotonicNow,
    randomBytes,
    validateResponses: false,
  });
  const start = () => {
    const tasks = settings.CONTROL_PLANE_TASKS;
    if (tasks.includes('publish')) {
      secretKeys.start();
      publisher.start();
      collector.start();
    }
    if (tasks.includes('events')) {
      events.start();
      usage.start();
    }
    if (tasks.includes('webhooks')) webhooks.start();
  };
  const closers = [
    () => webhooks.stop(),
    async () => webhookSender.close(),
    () => events.stop(),
    () => usage.stop(),
    () => publisher.stop(),
    async () => secretKeys.stop(),
    () => collector.stop(),
    () => prisma.$disconnect(),
    async () => redis.disconnect(),
    async () => issuerClient.close(),
    async () => licenseTransport.close(),
  ];
  return { app, health, prisma, redis, events, webhooks, start, closers };
}
