import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { createRedisClient, Health, type Logger } from '@multi-drm/service-kit';
import type { Express } from 'express';
import type { Redis } from 'ioredis';
import supertest, { type Test } from 'supertest';
import { createApp } from '../app';
import { ApiClientUses } from '../catalog/api-client-uses';
import { RedisCatalog } from '../catalog/redis-catalog';
import { SessionService } from '../features/sessions/session-service';
import { PendingUndos } from '../slots/pending-undos';
import { RedisSlotStore } from '../slots/redis-slot-store';
import type { LicenseTokenSettings } from '../tokens/license-token';
import { parseSigningKeys } from '../tokens/signing-keys';
import { type PublishedTenant, publishTenant } from './published-tenant';

export const publicUrl = 'https://playback.example.com';

/** What a test may replace of the service. */
export interface PlaybackOverrides {
  redisUrl?: string;
  /** Milliseconds; long, because test and service share one event loop. */
  commandTimeout?: number;
  now?: () => Date;
  tokens?: Partial<LicenseTokenSettings>;
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
  close(): void;
}

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
  const log = (level: string) => (message: string, fields?: Record<string, unknown>) =>
    void logged.push({ level, message, fields });
  const logger: Logger = { error: log('error'), warn: log('warn'), info: log('info'), debug: log('debug') };
  const now = overrides.now ?? (() => new Date());

  const url = overrides.redisUrl ?? testRedisUrl();
  const { commandTimeout = 10_000 } = overrides;
  const redis = createRedisClient({ url, name: 'test', logger, commandTimeout });
  const subscriber = createRedisClient({ url, name: 'test-subscriber', logger, commandTimeout });
  const catalog = new RedisCatalog(redis);
  catalog.follow(subscriber);
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const tokens: LicenseTokenSettings = {
    keys: parseSigningKeys(JSON.stringify({ keys: [privateKey.export({ format: 'jwk' })] })),
    issuer: publicUrl,
    audience: `${publicUrl}/api/v1/playback`,
    backdateSeconds: 60,
    newTokenId: randomUUID,
    ...overrides.tokens,
  };
  const slots = new RedisSlotStore(redis, { idempotentRepeatSeconds: 120, sessionIdRetentionSeconds: 86_400 });
  const pendingUndos = new PendingUndos(slots);
  redis.on('ready', () => void pendingUndos.retry().catch(() => undefined));
  const sessions = new SessionService({
    catalog,
    slots,
    pendingUndos,
    tokens,
    publicUrl,
    randomUuid: randomUUID,
    logger,
  });
  const checks = { redis: () => redis.ping() };
  const health = new Health({ service: 'playback', version: '0.0.0', checks, timeoutMilliseconds: commandTimeout });
  const app = createApp({
    logger,
    health,
    catalog,
    apiClientUses: new ApiClientUses(redis, logger),
    tokens,
    sessions,
    headerPrefix: 'X-SERVICE',
    now,
    validateResponses: true,
  });

  return {
    app,
    redis,
    logged,
    publish: (tenant) => publishTenant(redis, tenant),
    create: ({ environment, client, accessKey }, body) =>
      supertest(app)
        .post(`/api/v1/playback/environments/${environment.environmentId}/sessions`)
        .set('X-SERVICE-Client-Id', client.clientId)
        .set('X-SERVICE-Client-Secret', accessKey)
        .send(body),
    close: () => {
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
