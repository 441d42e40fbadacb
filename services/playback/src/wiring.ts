import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { LicenseTransport, policySigner } from '@multi-drm/license-backends';
import {
  AddressGuard,
  type CompletedRequest,
  createRedisClient,
  createRedisSubscriber,
  FairGate,
  HashKeySeal,
  Health,
  type Logger,
  noteClockSteps,
  RateLimiter,
  type RedisClient,
  RedisRateCounts,
  RefusedCredentials,
  Secrets,
  Turns,
} from '@multi-drm/service-kit';
import {
  CountedSlots,
  EventBuffer,
  OrganizationStarts,
  OrganizationStreams,
  OrganizationUsage,
  PendingUndos,
  RedisClock,
  RedisSlotStore,
  type RequestEvent,
  RequestEventLists,
  StreamRecount,
  Sweeper,
} from '@multi-drm/slots';
import type { Express } from 'express';
import { createApp } from './app';
import { ApiClientUses } from './catalog/api-client-uses';
import { knownBuckets } from './catalog/known-buckets';
import { RedisCatalog } from './catalog/redis-catalog';
import { publishesSomething, takesReadsAndWrites } from './catalog/redis-check';
import { SecretKeysCheck } from './catalog/secret-keys-check';
import { RequestEventRecorder } from './events/request-event-recorder';
import { licenseBackends } from './licenses/license-backends';
import { KnownGrants } from './sessions/known-grants';
import type { Settings } from './settings';
import { signingKeysOf } from './signing-key-settings';
import { KnownTokens } from './tokens/known-tokens';
import type { LicenseTokenSettings } from './tokens/license-token';

/**
 * Requests wait for a turn but are never refused: after the wait they continue without one, so that requests do not queue behind
 * each other while Redis is unreachable.
 */
const gate = {
  maximumActive: Number.POSITIVE_INFINITY,
  maximumWaitingEach: Number.POSITIVE_INFINITY,
  waitMilliseconds: 250,
};

interface WiringOptions {
  settings: Settings;
  version: string;
  logger: Logger;
  /** Monotonic milliseconds since 1970, which may be off. Redis decides times; its offset is measured against this clock. */
  processNow: () => number;
  /** For tests: replaces the time of Redis everywhere except in the slots. */
  now?: () => Date;
  /** Called for each request when its response is complete. */
  onCompleted?: (request: CompletedRequest) => void;
  /** Called for each session that starts. */
  onSessionStarted?: () => void;
  /** Called each time the clock of Redis was set. */
  onClockStep?: () => void;
  /** Called with the number of refusals and license requests that are lost. */
  onEventsLost?: (count: number) => void;
  /** Timeout of Redis commands and readiness checks, in milliseconds. Each has its own default. */
  commandTimeout?: number;
  /** Overrides the license token settings. */
  tokens?: Partial<LicenseTokenSettings>;
  /** For tests: also validates responses against the OpenAPI document. */
  validateResponses?: boolean;
}

/** The assembled service. */
interface Wiring {
  app: Express;
  health: Health;
  redis: RedisClient;
  /** The connection that receives published changes. */
  subscriber: RedisClient;
  secretKeysCheck: SecretKeysCheck;
  /** Removes expired sessions once started; to be stopped before `close`. */
  sweeper: Sweeper;
  /** Reports refusals and license requests once started; to be stopped before `close`. */
  requestEvents: RequestEventRecorder;
  /** Closes every connection. */
  close(): void;
}

/** Assembles the service from its settings and connects to Redis. */
export function wirePlayback(options: WiringOptions): Wiring {
  const { settings, version, logger, processNow, onCompleted, commandTimeout } = options;
  // Before anything is connected: it may be refused.
  const signingKeys = signingKeysOf(settings);
  const patience = commandTimeout === undefined ? {} : { commandTimeout };
  const redisOptions = { servers: settings.redis, logger, ...patience };
  const subscriber = createRedisSubscriber({ ...redisOptions, name: 'playback-subscriber' });
  // A subscriber writes nothing, so it does not notice by itself. One that is just connecting asks the Sentinels anyway.
  const onReplaced = () => {
    if (subscriber.status === 'ready') subscriber.disconnect(true);
  };
  const redis = createRedisClient({ ...redisOptions, name: 'playback', onReplaced });
  const onClockStep = noteClockSteps({ clock: 'Redis', logger, monotonicNow: processNow, count: options.onClockStep });
  const clock = new RedisClock(processNow, onClockStep);
  const now = options.now ?? (() => clock.now());
  // The first command on each connection, so that nothing read on it is compared with another server's clock.
  redis.on('ready', () => {
    clock.synchronize(redis).catch((error: unknown) => logger.debug('could not read the time of Redis', { error }));
  });
  const catalog = new RedisCatalog(redis, { logger, hashKeySeal: new HashKeySeal(settings.SECRET_KEYS) });
  catalog.follow(subscriber);

  const publicUrl = settings.PLAYBACK_PUBLIC_URL;
  const tokens = {
    keys: signingKeys,
    issuer: publicUrl,
    audience: `${publicUrl}/api/v1/playback`,
    backdateSeconds: settings.LICENSE_TOKEN_BACKDATE_SECONDS,
    newTokenId: randomUUID,
    known: new KnownTokens(),
    ...options.tokens,
  };
  const buckets = knownBuckets(catalog);
  const streams = new OrganizationStreams(redis, clock);
  const notCounted = (error: unknown) => logger.debug('could not count the streams of an organization', { error });
  const eventBuffer = new EventBuffer(redis, settings.EVENT_BUFFER_MEBIBYTES * 2 ** 20);
  const store = new RedisSlotStore(redis, {
    idempotentRepeatSeconds: settings.IDEMPOTENT_REPEAT_SECONDS,
    sessionIdRetentionSeconds: settings.SESSION_ID_RETENTION_SECONDS,
    clock,
    buckets,
    eventBytes: eventBuffer.bytesOfBucket,
  });
  const slots = new CountedSlots(store, {
    streams,
    organizationOf: async (environmentId) => {
      const environment = await catalog.environment(environmentId);
      return environment && catalog.organization(environment.organizationId);
    },
    onFailure: notCounted,
  });
  const pendingUndos = new PendingUndos(slots);
  redis.on('ready', () => {
    pendingUndos.retry().catch((error: unknown) => logger.debug('could not undo all pending reservations', { error }));
  });
  const isPublished = async (environmentId: string) => (await catalog.environment(environmentId)) !== null;
  const recount = new StreamRecount({ client: redis, clock, streams, buckets, isPublished });
  const usage = new OrganizationUsage({
    streams,
    recount: (organizationId) => recount.run(organizationId),
    onFailure: notCounted,
  });
  const callsPerMinute = settings.SESSION_REQUESTS_PER_MINUTE;
  const shared = { catalog, slots, usage, tokens, callsPerMinute, randomUuid: randomUUID };
  const limiter = (kind: string, limit: number | undefined) =>
    new RateLimiter({
      counts: new RedisRateCounts(redis, kind),
      limit,
      now: () => now().getTime(),
      onFailure: (error) => logger.debug('calls were counted in this process only', { error }),
    });
  const apiClientLimiter = limiter('api-client', settings.API_CLIENT_REQUESTS_PER_MINUTE);
  const redisNow = () => clock.now();
  const grants = new KnownGrants();
  const starts = new OrganizationStarts({
    limiter: new RateLimiter({ limit: undefined, now: () => now().getTime() }),
    withoutStreamLimit: settings.UNLIMITED_PLAN_STARTS_PER_MINUTE,
    onStarted: options.onSessionStarted,
  });
  const unknownReleaseLimiter = limiter('unknown-release', settings.UNKNOWN_RELEASES_PER_MINUTE);
  const requestEvents = new RequestEventRecorder({
    append: appendRequestEvents(redis, eventBuffer.bytesOfRequestList),
    redisNow,
    onLost: options.onEventsLost ?? (() => undefined),
    logger,
    processNow,
    pause,
  });
  const sessions = {
    ...shared,
    grants,
    starts,
    pendingUndos,
    unknownReleaseLimiter,
    publicUrl,
    now,
    redisNow,
    logger,
    events: requestEvents,
  };
  const transport = new LicenseTransport({
    guard: new AddressGuard(settings.OUTBOUND_ALLOWED_HOSTS),
    timeoutMilliseconds: settings.LICENSE_BACKEND_TIMEOUT_MILLISECONDS,
    maximumConnections: settings.LICENSE_BACKEND_CONNECTIONS,
    maximumWaiting: 2 * settings.LICENSE_BACKEND_CONNECTIONS,
  });
  const secrets = new Secrets(settings.SECRET_KEYS);
  const backendOf = licenseBackends({ secrets, signPolicy: policySigner(tokens) });
  const licenses = { ...shared, secrets, transport, backendOf, events: requestEvents, processNow };
  const secretKeysCheck = new SecretKeysCheck({ redis, keys: settings.SECRET_KEYS, catalog, logger });
  const timeout = commandTimeout === undefined ? {} : { timeoutMilliseconds: commandTimeout };
  const health = new Health({
    service: 'playback',
    version,
    logger,
    checks: {
      redis: takesReadsAndWrites(redis, clock),
      published: publishesSomething(catalog),
      secretKeys: secretKeysCheck.check,
    },
    ...timeout,
  });
  const app = createApp({
    logger,
    ...(onCompleted === undefined ? {} : { onCompleted }),
    health,
    catalog,
    apiClientUses: new ApiClientUses(redis, logger),
    tokens,
    sessions,
    licenses,
    apiClientLimiter,
    refusedCredentials: new RefusedCredentials({
      // Not shared through Redis: made-up client ids would each create a counter there.
      perCredential: new RateLimiter({
        limit: settings.REFUSED_REQUESTS_PER_CREDENTIAL_PER_MINUTE,
        now: () => now().getTime(),
      }),
      perAddress: limiter('refused', settings.UNAUTHENTICATED_REQUESTS_PER_MINUTE),
    }),
    refusedTokenLimiter: limiter('refused-token', settings.UNAUTHENTICATED_REQUESTS_PER_MINUTE),
    certificateLimiter: limiter('certificate', settings.CERTIFICATE_REQUESTS_PER_MINUTE),
    turns: new Turns(new FairGate({ ...gate, maximumActiveEach: settings.ORGANIZATION_REQUESTS_AT_ONCE })),
    headerPrefix: settings.API_CLIENT_HEADER_PREFIX,
    trustedProxies: settings.TRUSTED_PROXIES,
    now,
    validateResponses: options.validateResponses ?? false,
  });
  const sweeper = new Sweeper({
    client: redis,
    clock,
    sessionIdRetentionSeconds: settings.SESSION_ID_RETENTION_SECONDS,
    eventBuffer,
    buckets: async () => ((await catalog.deployment()) === null ? null : buckets()),
    logger,
    random: Math.random,
    processNow,
    pause,
  });
  const close = () => {
    transport.close();
    redis.disconnect();
    subscriber.disconnect();
  };
  return { app, health, redis, subscriber, secretKeysCheck, sweeper, requestEvents, close };
}

/** A delay that is ended early rejects. That is expected. */
const pause = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  delay(milliseconds, undefined, { signal }).catch(() => undefined);

/** Returns what appends request events; null if they may take no memory. */
function appendRequestEvents(client: RedisClient, bytesOfList: number) {
  if (bytesOfList === 0) return null;
  const lists = new RequestEventLists({ client, bytesOfList, random: Math.random });
  return (events: RequestEvent[]) => lists.append(events);
}
