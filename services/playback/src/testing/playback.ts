import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import type { PlaybackSchemas } from '@multi-drm/contracts';
import { LicenseTransport } from '@multi-drm/license-backends';
import { keptLog, rememberSecrets, secretsOfSettings } from '@multi-drm/local/testing';
import {
  AddressGuard,
  createLogger,
  createRedisClient,
  Health,
  type Logger,
  parseAllowList,
  Secrets,
} from '@multi-drm/service-kit';
import type { Express } from 'express';
import type { Redis } from 'ioredis';
import supertest, { type Test } from 'supertest';
import { createApp } from '../app';
import { ApiClientUses } from '../catalog/api-client-uses';
import { RedisCatalog } from '../catalog/redis-catalog';
import { createLicenses } from '../features/licenses/licenses';
import { createSessions } from '../features/sessions/sessions';
import { RedisRateCounts } from '../rate-limits/rate-counts';
import { RateLimiter } from '../rate-limits/rate-limiter';
import { OrganizationUsage } from '../slots/organization-usage';
import { PendingUndos } from '../slots/pending-undos';
import { RedisSlotStore } from '../slots/redis-slot-store';
import type { LicenseTokenSettings } from '../tokens/license-token';
import { parseSigningKeys } from '../tokens/signing-keys';
import { type PublishedTenant, publishTenant, waitForSubscriber } from './published-tenant';

export const publicUrl = 'https://playback.example.com';

/** What the documents' secrets are encrypted under. */
const secretKey = randomBytes(32);
export const testSecrets = new Secrets([{ id: 'test', key: secretKey }]);

/** What a test may replace of the service. */
export interface PlaybackOverrides {
  redisUrl?: string;
  /** Milliseconds; long, because test and service share one event loop. */
  commandTimeout?: number;
  now?: () => Date;
  tokens?: Partial<LicenseTokenSettings>;
  /** Limits of calls; absent: none. */
  apiClientRequestsPerMinute?: number;
  unauthenticatedRequestsPerMinute?: number;
  sessionRequestsPerMinute?: number;
  backendTimeoutMilliseconds?: number;
  headerPrefix?: string;
  /** Absent: the tests' own address. */
  trustedProxies?: string[];
}

/** The playback service on the tests' Redis, with answers held against the OpenAPI document. */
export interface Playback {
  app: Express;
  redis: Redis;
  /** Log entries so far. */
  logged: { level: string; message: string; fields: Record<string, unknown> | undefined }[];
  publish(tenant: PublishedTenant): Promise<void>;
  /** A create call with the tenant's credentials. */
  create(tenant: PublishedTenant, body: object): Test;
  /** Any call of an environment's route, such as `/sessions/evaluations`, with the tenant's credentials. */
  asClient(tenant: PublishedTenant, method: 'get' | 'post', path: string): Test;
  /** A player's call with the session's license token. */
  asPlayer(session: Session, route: 'release' | 'renew'): Test;
  /** A player's license request: the challenge as bytes, the answer as bytes. */
  license(session: Session, challenge: Buffer, contentType?: string): Test;
  close(): void;
}

export type Session = PlaybackSchemas['PlaybackSessionResponse'];

export function testRedisUrl(): string {
  const url = process.env.TEST_REDIS_URL;
  if (url === undefined) throw new Error('TEST_REDIS_URL is not set: run the suites through npm test');
  return url;
}

/** The smallest request that plays the tenant's content, for a viewer of its own. */
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

export function startPlayback(overrides: PlaybackOverrides = {}): Playback {
  const logged: Playback['logged'] = [];
  const written = createLogger({ service: 'playback', level: 'debug', stream: keptLog() });
  const log = (level: keyof Logger) => (message: string, fields?: Record<string, unknown>) => {
    logged.push({ level, message, fields });
    written[level](message, fields);
  };
  const logger: Logger = { error: log('error'), warn: log('warn'), info: log('info'), debug: log('debug') };
  const now = overrides.now ?? (() => new Date());

  const url = overrides.redisUrl ?? testRedisUrl();
  const { commandTimeout = 10_000 } = overrides;
  const redis = createRedisClient({ url, name: 'test', logger, commandTimeout });
  const subscriber = createRedisClient({ url, name: 'test-subscriber', logger, commandTimeout });
  const catalog = new RedisCatalog(redis);
  catalog.follow(subscriber);
  waitForSubscriber(redis, subscriber);
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const LICENSE_TOKEN_KEYS = JSON.stringify({ keys: [privateKey.export({ format: 'jwk' })] });
  rememberSecrets(secretsOfSettings({ LICENSE_TOKEN_KEYS, SECRET_KEYS: `test:${secretKey.toString('base64')}` }));
  const tokens: LicenseTokenSettings = {
    keys: parseSigningKeys(LICENSE_TOKEN_KEYS),
    issuer: publicUrl,
    audience: `${publicUrl}/api/v1/playback`,
    backdateSeconds: 60,
    newTokenId: randomUUID,
    ...overrides.tokens,
  };
  const slots = new RedisSlotStore(redis, { idempotentRepeatSeconds: 120, sessionIdRetentionSeconds: 86_400 });
  const pendingUndos = new PendingUndos(slots);
  redis.on('ready', () => void pendingUndos.retry().catch(() => undefined));
  const onFailure = (error: unknown) => logger.debug('failed in the background', { error });
  const sessions = createSessions({
    catalog,
    slots,
    usage: new OrganizationUsage({ client: redis, slots, onFailure }),
    pendingUndos,
    tokens,
    publicUrl,
    callsPerMinute: overrides.sessionRequestsPerMinute ?? 1_000,
    randomUuid: randomUUID,
    now,
    logger,
  });
  const transport = new LicenseTransport({
    guard: new AddressGuard(parseAllowList('127.0.0.1').allowed),
    timeoutMilliseconds: overrides.backendTimeoutMilliseconds ?? 10_000,
    maximumConnections: 8,
    maximumWaiting: 16,
  });
  const licenses = createLicenses({
    catalog,
    slots,
    secrets: testSecrets,
    transport,
    tokens,
    callsPerMinute: overrides.sessionRequestsPerMinute ?? 1_000,
    randomUuid: randomUUID,
  });
  const limiter = (limit: number | undefined) =>
    new RateLimiter({ counts: new RedisRateCounts(redis), limit, now: () => now().getTime(), onFailure });
  const checks = { redis: () => redis.ping() };
  const health = new Health({ service: 'playback', version: '0.0.0', checks, timeoutMilliseconds: commandTimeout });
  const app = createApp({
    logger,
    health,
    catalog,
    apiClientUses: new ApiClientUses(redis, logger),
    tokens,
    sessions,
    licenses,
    apiClientLimiter: limiter(overrides.apiClientRequestsPerMinute),
    unauthenticatedLimiter: limiter(overrides.unauthenticatedRequestsPerMinute),
    headerPrefix: overrides.headerPrefix ?? 'X-SERVICE',
    trustedProxies: overrides.trustedProxies ?? ['loopback'],
    now,
    validateResponses: true,
  });

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
    close: () => {
      transport.close();
      redis.disconnect();
      subscriber.disconnect();
    },
  };
}

/** Resolves when the service has connected. */
export async function connected({ redis }: Playback): Promise<void> {
  if (redis.status === 'ready') return;
  await new Promise((resolve) => redis.once('ready', resolve));
}

/** Reads licenses as bytes, and problems as JSON. */
function bytesOrProblem(response: supertest.Response, done: (error: Error | null, body: unknown) => void): void {
  const stream = response as unknown as NodeJS.ReadableStream;
  const isProblem = /json/.test(String(response.headers['content-type']));
  const parts: Buffer[] = [];
  stream.on('data', (part: Buffer) => parts.push(part));
  stream.on('end', () => {
    const bytes = Buffer.concat(parts);
    done(null, isProblem ? JSON.parse(bytes.toString()) : bytes);
  });
}
