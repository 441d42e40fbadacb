import type { ActiveSessionCounter } from '../../active-sessions/active-session-counter';
import type { SessionSlots } from '../../active-sessions/session-slots';
import type { FeatureOptions } from '../feature-options';
import { getEnvironmentLive } from './get-environment-live';
import { getEnvironmentUsage } from './get-environment-usage';
import { getOrganizationUsage } from './get-organization-usage';
import { LiveService } from './live-service';
import { UsageService } from './usage-service';

interface UsageEndpointsOptions extends FeatureOptions {
  /** The active sessions at playback. */
  activeSessions: ActiveSessionCounter;
  sessionSlots: SessionSlots;
  /** Until when what playback has told is stored. Rejects if Redis is unavailable. */
  storedUntil: () => Promise<Date>;
}

/** The operations on usage, with their services. */
export function usageEndpoints(options: UsageEndpointsOptions) {
  const { now } = options;
  const usage = new UsageService(options);
  return [
    getEnvironmentUsage(usage, now),
    getEnvironmentLive(new LiveService(options)),
    getOrganizationUsage(usage, now),
  ];
}
