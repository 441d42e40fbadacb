import type { Logger, RateLimiter } from '@multi-drm/service-kit';
import type { RereadingCatalog } from '../../catalog/catalog';
import type { OrganizationUsage } from '../../slots/organization-usage';
import type { PendingUndos } from '../../slots/pending-undos';
import type { SlotStore } from '../../slots/slot-store';
import type { LicenseTokenSettings } from '../../tokens/license-token';
import { SessionCreator } from './session-creator';
import { SessionDecider } from './session-decider';
import { SessionEvaluator } from './session-evaluator';
import { SessionIssuer } from './session-issuer';
import { SessionReleaser } from './session-releaser';
import { SessionRenewer } from './session-renewer';

interface SessionsOptions {
  catalog: RereadingCatalog;
  slots: SlotStore;
  usage: OrganizationUsage;
  pendingUndos: PendingUndos;
  tokens: LicenseTokenSettings;
  publicUrl: string;
  /** Renewals, and separately license requests, that one session may make per minute. */
  callsPerMinute: number;
  /** The limit of all calls of an API client, by client id. */
  apiClientLimiter: RateLimiter;
  randomUuid: () => string;
  now: () => Date;
  logger: Logger;
}

/** The parts that the session routes use. */
export interface Sessions {
  creator: SessionCreator;
  renewer: SessionRenewer;
  releaser: SessionReleaser;
  evaluator: SessionEvaluator;
  slots: SlotStore;
}

/** Assembles the parts of the feature. */
export function createSessions(options: SessionsOptions): Sessions {
  const { catalog, slots, usage, callsPerMinute } = options;
  const decider = new SessionDecider(options);
  const issuer = new SessionIssuer(options);
  return {
    creator: new SessionCreator({ ...options, decider, issuer }),
    renewer: new SessionRenewer({ catalog, slots, issuer, callsPerMinute }),
    releaser: new SessionReleaser(options),
    evaluator: new SessionEvaluator({ catalog, decider, slots, usage }),
    slots,
  };
}
