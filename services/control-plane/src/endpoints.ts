import type { LicenseTransport } from '@multi-drm/license-backends';
import { type AddressGuard, type Health, type Logger, Secrets } from '@multi-drm/service-kit';
import type { RandomBytes } from './access/credentials';
import type { ActiveSessionCounter } from './active-sessions/active-session-counter';
import type { SessionSlots } from './active-sessions/session-slots';
import type { Database } from './database/database';
import { apiClientEndpoints } from './features/api-clients/endpoints';
import { auditEventEndpoints } from './features/audit-events/endpoints';
import { contentEndpoints } from './features/content/endpoints';
import { drmSystemEndpoints } from './features/drm-systems/endpoints';
import { endUserEndpoints } from './features/end-users/endpoints';
import { environmentEndpoints } from './features/environments/endpoints';
import { evaluationEndpoints } from './features/evaluations/endpoints';
import { eventEndpoints } from './features/events/endpoints';
import { healthEndpoints } from './features/health/endpoints';
import { licenseProfileEndpoints } from './features/license-profiles/endpoints';
import { LicenseWarningService } from './features/license-warnings/license-warning-service';
import { managementKeyEndpoints } from './features/management-keys/endpoints';
import { organizationEndpoints } from './features/organizations/endpoints';
import { planEndpoints } from './features/plans/endpoints';
import { platformEndpoints } from './features/platform/endpoints';
import { projectEndpoints } from './features/projects/endpoints';
import { registrationEndpoints } from './features/registrations/endpoints';
import type { RegistrationLimiter } from './features/registrations/registration-limiter';
import { rightsEndpoints } from './features/rights/endpoints';
import { sessionEndpoints } from './features/sessions/endpoints';
import { usageEndpoints } from './features/usage/endpoints';
import { webhookEndpointEndpoints } from './features/webhook-endpoints/endpoints';
import type { Publisher } from './publishing/publisher';
import { Changes } from './records/changes';
import type { Settings } from './settings';
import type { WebhookSender } from './webhooks/webhook-sender';

export interface EndpointsOptions {
  settings: Settings;
  database: Database;
  /** Publishes each change, so that playback learns of it at once. */
  publisher: Pick<Publisher, 'wake' | 'whenPublished'>;
  registrationLimiter: RegistrationLimiter;
  /** Counts the active sessions of environments. */
  activeSessions: ActiveSessionCounter;
  /** Reads and ends active sessions. */
  sessionSlots: SessionSlots;
  /** Stores the events that playback has reported until now. */
  readEvents: () => Promise<void>;
  /** Until when what playback has reported is stored. Rejects if Redis is unavailable. */
  storedUntil: () => Promise<Date>;
  /** Decides which addresses license servers may have. */
  guard: AddressGuard;
  /** Sends test requests to license servers. */
  licenseTransport: LicenseTransport;
  /** Decides which addresses webhook endpoints may have. */
  webhookGuard: AddressGuard;
  /** Sends test events to webhook endpoints. */
  webhookSender: Pick<WebhookSender, 'send'>;
  health: Health;
  logger: Logger;
  now: () => Date;
  randomBytes: RandomBytes;
}

/** The endpoints of every feature. */
export function allEndpoints(options: EndpointsOptions) {
  const { settings, database, publisher, now, randomBytes } = options;
  const parts = {
    ...options,
    changes: new Changes({ database, publisher, now }),
    agreement: { version: settings.SERVICE_AGREEMENT_VERSION, url: settings.SERVICE_AGREEMENT_URL },
    secrets: new Secrets(settings.SECRET_KEYS, randomBytes),
    warnings: new LicenseWarningService(database),
  };
  return [
    ...healthEndpoints(parts),
    ...planEndpoints(),
    ...platformEndpoints(parts),
    ...registrationEndpoints(parts),
    ...organizationEndpoints(parts),
    ...projectEndpoints(parts),
    ...environmentEndpoints(parts),
    ...drmSystemEndpoints(parts),
    ...contentEndpoints(parts),
    ...rightsEndpoints(parts),
    ...licenseProfileEndpoints(parts),
    ...apiClientEndpoints(parts),
    ...endUserEndpoints(parts),
    ...sessionEndpoints(parts),
    ...eventEndpoints(parts),
    ...evaluationEndpoints(parts),
    ...webhookEndpointEndpoints(parts),
    ...usageEndpoints(parts),
    ...managementKeyEndpoints(parts),
    ...auditEventEndpoints(parts),
  ];
}
