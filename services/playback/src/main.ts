import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LicenseTransport } from '@multi-drm/license-backends';
import {
  AddressGuard,
  createLogger,
  createRedisClient,
  Health,
  Metrics,
  runService,
  Secrets,
  startProcess,
} from '@multi-drm/service-kit';
import { createApp } from './app';
import { ApiClientUses } from './catalog/api-client-uses';
import { RedisCatalog } from './catalog/redis-catalog';
import { createLicenses } from './features/licenses/licenses';
import { createSessions } from './features/sessions/sessions';
import { RedisRateCounts } from './rate-limits/rate-counts';
import { RateLimiter } from './rate-limits/rate-limiter';
import { loadSettings } from './settings';
import { OrganizationUsage } from './slots/organization-usage';
import { PendingUndos } from './slots/pending-undos';
import { RedisSlotStore } from './slots/redis-slot-store';
import { parseSigningKeys } from './tokens/signing-keys';

const service = 'playback';
const { version } = JSON.parse(readFileSync(join(__dirname, '../package.json'), 'utf8')) as { version: string };

async function main(): Promise<void> {
  const settings = loadSettings(process.env);
  const logger = createLogger({ service, level: settings.LOG_LEVEL });
  const metrics = new Metrics(logger);
  const now = () => new Date();

  const redis = createRedisClient({ url: settings.REDIS_URL, name: service, logger });
  const subscriber = createRedisClient({ url: settings.REDIS_URL, name: `${service}-subscriber`, logger });
  const catalog = new RedisCatalog(redis);
  catalog.follow(subscriber);

  const publicUrl = settings.PLAYBACK_PUBLIC_URL;
  const tokens = {
    keys: parseSigningKeys(settings.LICENSE_TOKEN_KEYS, settings.LICENSE_TOKEN_SIGNING_KEY_ID),
    issuer: publicUrl,
    audience: `${publicUrl}/api/v1/playback`,
    backdateSeconds: settings.LICENSE_TOKEN_BACKDATE_SECONDS,
    newTokenId: randomUUID,
  };
  const slots = new RedisSlotStore(redis, {
    idempotentRepeatSeconds: settings.IDEMPOTENT_REPEAT_SECONDS,
    sessionIdRetentionSeconds: settings.SESSION_ID_RETENTION_SECONDS,
  });
  const pendingUndos = new PendingUndos(slots);
  redis.on('ready', () => {
    pendingUndos.retry().catch((error: unknown) => logger.debug('slots are still to be taken back', { error }));
  });
  const usage = new OrganizationUsage({
    client: redis,
    slots,
    onFailure: (error) => logger.debug('live sessions were not counted', { error }),
  });
  const sessions = createSessions({
    catalog,
    slots,
    usage,
    pendingUndos,
    tokens,
    publicUrl,
    callsPerMinute: settings.SESSION_REQUESTS_PER_MINUTE,
    randomUuid: randomUUID,
    now,
    logger,
  });
  const transport = new LicenseTransport({
    guard: new AddressGuard(settings.OUTBOUND_ALLOWED_HOSTS),
    timeoutMilliseconds: settings.LICENSE_BACKEND_TIMEOUT_MILLISECONDS,
    maximumConnections: settings.LICENSE_BACKEND_CONNECTIONS,
    maximumWaiting: 2 * settings.LICENSE_BACKEND_CONNECTIONS,
  });
  const licenses = createLicenses({
    catalog,
    slots,
    secrets: new Secrets(settings.SECRET_KEYS),
    transport,
    tokens,
    callsPerMinute: settings.SESSION_REQUESTS_PER_MINUTE,
    randomUuid: randomUUID,
  });
  const limiter = (limit: number | undefined) =>
    new RateLimiter({
      counts: new RedisRateCounts(redis),
      limit,
      now: Date.now,
      onFailure: (error) => logger.debug('calls were counted for this process alone', { error }),
    });
  const health = new Health({ service, version, checks: { redis: () => redis.ping() } });
  const app = createApp({
    logger,
    onAnswered: metrics.countRequest,
    health,
    catalog,
    apiClientUses: new ApiClientUses(redis, logger),
    tokens,
    sessions,
    licenses,
    apiClientLimiter: limiter(settings.API_CLIENT_REQUESTS_PER_MINUTE),
    unauthenticatedLimiter: limiter(settings.UNAUTHENTICATED_REQUESTS_PER_MINUTE),
    headerPrefix: settings.API_CLIENT_HEADER_PREFIX,
    trustedProxies: settings.TRUSTED_PROXIES,
    now,
  });

  await runService({
    app,
    host: settings.HOST,
    port: settings.PORT,
    metrics,
    metricsPort: settings.METRICS_PORT,
    health,
    logger,
    shutdownDelay: settings.SHUTDOWN_DELAY_MILLISECONDS,
    shutdownGrace: settings.SHUTDOWN_GRACE_MILLISECONDS,
    closers: [async () => transport.close(), async () => redis.disconnect(), async () => subscriber.disconnect()],
  });
}

startProcess(createLogger({ service, level: 'info' }), main);
