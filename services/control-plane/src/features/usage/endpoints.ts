import { endpoint } from '../../access/endpoint';
import type { ActiveSessionCounter } from '../../active-sessions/active-session-counter';
import type { SessionSlots } from '../../active-sessions/session-slots';
import type { FeatureOptions } from '../feature-options';
import { LiveService } from './live-service';
import { usageReply } from './usage-reply';
import { UsageService } from './usage-service';

interface UsageEndpointsOptions extends FeatureOptions {
  /** The active sessions at playback. */
  activeSessions: ActiveSessionCounter;
  sessionSlots: SessionSlots;
  /** Until when what playback has reported is stored. Rejects if Redis is unavailable. */
  storedUntil: () => Promise<Date>;
}

/** The operations on usage, with their services. */
export function usageEndpoints(options: UsageEndpointsOptions) {
  const { now } = options;
  const usage = new UsageService(options);
  const live = new LiveService(options);
  return [
    endpoint({
      operationId: 'getEnvironmentUsage',
      access: { permission: 'usage:read', scope: 'environment' },
      handle: ({ params, query, request }) => usageReply(usage, params.environmentId, { query, now: now(), request }),
    }),
    endpoint({
      operationId: 'getEnvironmentLive',
      access: { permission: 'usage:read', scope: 'environment' },
      handle: async ({ params, query }) => ({
        status: 200,
        body: await live.read(params.environmentId, query.groupBy ?? null),
      }),
    }),
    endpoint({
      operationId: 'getOrganizationUsage',
      access: { permission: 'usage:read', scope: 'organization' },
      handle: ({ params, query, request }) => usageReply(usage, params.organizationId, { query, now: now(), request }),
    }),
  ];
}
