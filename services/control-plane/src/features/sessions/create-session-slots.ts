import type { Logger, RedisClient } from '@multi-drm/service-kit';
import { SessionSlots } from '../../active-sessions/session-slots';
import type { Database } from '../../database/database';
import { findPlan } from '../../plans/plans';
import { readSubjectBuckets } from '../../publishing/subject-hash-key';
import { readEnvironmentScope } from '../../stores/environments';

interface SessionSlotsParts {
  database: Database;
  redis: RedisClient;
  settings: { SESSION_ID_RETENTION_SECONDS: number };
  logger: Logger;
  /** Monotonic milliseconds since 1970, which may be off. */
  processNow: () => number;
}

/** The active sessions at playback, under the buckets and plans of the database. */
export function createSessionSlots({ database, redis, settings, logger, processNow }: SessionSlotsParts): SessionSlots {
  return new SessionSlots({
    redis,
    buckets: () => readSubjectBuckets(database),
    organizationOf: async (environmentId) => {
      const { organizationId, planId } = await readEnvironmentScope(database, environmentId);
      return { organizationId, maximumConcurrentStreams: findPlan(planId)?.limits.concurrentStreams ?? null };
    },
    sessionIdRetentionSeconds: settings.SESSION_ID_RETENTION_SECONDS,
    logger,
    processNow,
  });
}
