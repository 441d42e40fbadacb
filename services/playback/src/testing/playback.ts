import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { buffer } from 'node:stream/consumers';
import type { PlaybackSchemas } from '@multi-drm/contracts';
import { createLogger, HashKeySeal, type Logger, type RedisClient, Secrets } from '@multi-drm/service-kit';
import { type RequestEvent, readRequestEvents, requestEventLists, requestEventsKey } from '@multi-drm/slots';
import { keptLog, rememberSecrets, secretsOfSettings, sharedRedisSettings, startRedis } from '@multi-drm/test-kit';
import type { Express } from 'express';
import supertest, { type Test } from 'supertest';
import { loadSettings } from '../settings';
import type { LicenseTokenSettings } from '../tokens/license-token';
import { wirePlayback } from '../wiring';
import { type PublishedTenant, publishTenant, waitForSubscriber } from './published-tenant';

export const publicUrl = 'https://playback.example.com';

/** The key that encrypts the documents' secrets. */
const secretKey = randomBytes(32);
export const testSecrets = new Secrets([{ id: 'test', key: secretKey }]);
export const testHashKeySeal = new HashKeySeal([{ id: 'test', key: secretKey }]);

/** The parts of the service that a test may replace. */
export interface PlaybackOverrides {
  redisUrl?: string;
  /** Milliseconds. */
  commandTimeout?: number;
  /** Replaces the time of Redis everywhere except in the slots. */
  now?: () => Date;
  /** The clock of the process, in milliseconds since 1970. */
  processNow?: () => number;
  tokens?: Partial<LicenseTokenSettings>;
  /** Whether responses are validated against the OpenAPI document; yes if absent. */
  validateResponses?: boolean;
  /** Environment variables that override those of the tests. */
  environment?: Record<string, string>;
}

/** The playback service with the tests' Redis. Responses are validated against the OpenAPI document. */
export interface Playback {
  app: Express;
  redis: RedisClient;
  /** Log entries so far. */
  logged: { level: string; message: string; fields: Record<string, unknown> | undefined }[];
  publish(tenant: PublishedTenant): Promise<void>;
  /** Sends a create with the tenant's credentials. */
  create(tenant: PublishedTenant, body: object): Test;
  /** Calls a route of the environment, such as `/sessions/evaluations`, with the tenant's credentials. */
  asClient(tenant: PublishedTenant, method: 'get' | 'post', path: string): Test;
  /** Sends a player's call with the session's license token. */
  asPlayer(session: Session, route: 'release' | 'renew'): Test;
  /** Sends a player's license request; challenge and response are bytes. */
  license(session: Session, challenge: Buffer, contentType?: string): Test;
  /** Returns the events of refused sessions and license requests of the tenant. */
  recordedRequests(tenant: PublishedTenant): Promise<RequestEvent[]>;
}

export type Session = PlaybackSchemas['PlaybackSessionResponse'];

export function testRedisUrl(): string {
  const url = process.env.TEST_REDIS_URL;
  if (url === undefined) throw new Error('TEST_REDIS_URL is not set: run the suites through npm test');
  return url;
}

/** The smallest request that plays the tenant's content, for a new viewer. */
export function sessionRequest(overrides: object = {}): Record<string, unknown> {
  return {
    contentId: 'lesson-0042',
    contentType: 'vod',
    drmSystem: 'widevine',
    subject: `viewer-${randomUUID()}`,
    useEnvironmentDefaults: true,
    ...overrides,
  };
}

const closers: (() => unknown)[] = [];

afterAll(async () => {
  for (const close of closers.reverse()) await close();
});

/** Starts the service and waits until it has connected to Redis. It stops with the suite. */
export async function startPlayback(overrides: PlaybackOverrides = {}): Promise<Playback> {
  const playback = createPlayback(overrides);
  await once(playback.redis, 'ready');
  return playback;
}

/** Starts a Redis for the suite alone, and the service on it. Both stop with the suite. */
export async function startPlaybackOnOwnRedis(): Promise<Playback> {
  const server = await startRedis();
  closers.push(() => server.stop());
  return startPlayback({ redisUrl: server.url });
}

/** Like `startPlayback`, without waiting for Redis. */
export function createPlayback(overrides: PlaybackOverrides = {}): Playback {
  const logged: Playback['logged'] = [];
  const written = createLogger({ service: 'playback', level: 'debug', stream: keptLog() });
  const log = (level: keyof Logger) => (message: string, fields?: Record<string, unknown>) => {
    logged.push({ level, message, fields });
    written[level](message, fields);
  };
  const logger: Logger = { error: log('error'), warn: log('warn'), info: log('info'), debug: log('debug') };
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const environment = {
    ...(overrides.redisUrl === undefined ? sharedRedisSettings() : { REDIS_URL: overrides.redisUrl }),
    PLAYBACK_PUBLIC_URL: publicUrl,
    LICENSE_TOKEN_KEYS: JSON.stringify({ keys: [privateKey.export({ format: 'jwk' })] }),
    SECRET_KEYS: `test:${secretKey.toString('base64')}`,
    OUTBOUND_ALLOWED_HOSTS: '127.0.0.1',
    LICENSE_BACKEND_TIMEOUT_MILLISECONDS: '10000',
    LICENSE_BACKEND_CONNECTIONS: '8',
    TRUSTED_PROXIES: 'loopback',
    SESSION_REQUESTS_PER_MINUTE: '1000',
    UNAUTHENTICATED_REQUESTS_PER_MINUTE: '10000000',
    REFUSED_REQUESTS_PER_CREDENTIAL_PER_MINUTE: '10000000',
    CERTIFICATE_REQUESTS_PER_MINUTE: '10000000',
    ...overrides.environment,
  };
  rememberSecrets(secretsOfSettings(environment));
  const { app, redis, subscriber, requestEvents, close } = wirePlayback({
    settings: loadSettings(environment),
    version: '0.0.0',
    logger,
    processNow: overrides.processNow ?? Date.now,
    ...(overrides.now === undefined ? {} : { now: overrides.now }),
    // Test and service share one event loop.
    commandTimeout: overrides.commandTimeout ?? 10_000,
    tokens: overrides.tokens ?? {},
    validateResponses: overrides.validateResponses ?? true,
  });
  closers.push(close);
  waitForSubscriber(redis, subscriber);

  const asClient: Playback['asClient'] = ({ environment, client, accessKey }, method, path) =>
    supertest(app)
      [method](`/api/v1/playback/environments/${environment.environmentId}${path}`)
      .set('X-SERVICE-Client-Id', client.clientId)
      .set('X-SERVICE-Client-Secret', accessKey);

  return {
    app,
    redis,
    logged,
    publish: (tenant) => publishTenant(redis, tenant),
    create: (tenant, body) => asClient(tenant, 'post', '/sessions').send(body),
    asClient,
    asPlayer: ({ sessionId, drm, release }, route) =>
      supertest(app)
        .post(new URL(release.url).pathname.replace(`${sessionId}/release`, `${sessionId}/${route}`))
        .set('Authorization', `Bearer ${drm.drmLicenseToken}`),
    license: ({ drm }, challenge, contentType = 'application/octet-stream') =>
      supertest(app)
        .post(new URL(drm.licenseServerUrl).pathname)
        .set('Authorization', `Bearer ${drm.drmLicenseToken}`)
        .set('Content-Type', contentType)
        .serialize((bytes) => bytes)
        .buffer(true)
        .parse(bytesOrProblem)
        .send(challenge),
    recordedRequests: async ({ environment: { environmentId } }) => {
      await requestEvents.flush();
      const lists = Array.from({ length: requestEventLists }, (_, list) => requestEventsKey(list));
      const entries = await Promise.all(lists.map((list) => redis.lrangeBuffer(list, 0, -1)));
      // Suites share Redis, and some of them append entries that are not events.
      const tenantEntries = entries.flat().filter((entry) => entry.includes(environmentId));
      const events = tenantEntries.flatMap(readRequestEvents);
      return events.filter((event) => event.environmentId === environmentId).sort((one, other) => one.at - other.at);
    },
  };
}

/** Reads licenses as bytes, and problems as JSON. */
function bytesOrProblem(response: supertest.Response, done: (error: Error | null, body: unknown) => void): void {
  const stream = response as unknown as NodeJS.ReadableStream;
  const isProblem = /json/.test(String(response.headers['content-type']));
  void buffer(stream).then(
    (bytes) => done(null, isProblem ? JSON.parse(bytes.toString()) : bytes),
    (error) => done(error, undefined),
  );
}
