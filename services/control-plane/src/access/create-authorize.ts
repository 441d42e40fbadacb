import type { Logger, OutboundClient } from '@multi-drm/service-kit';
import type { Admission } from '../admission/admission';
import type { Database } from '../database/database';
import { Authentication } from './authenticate';
import { authorizeWith } from './authorize';
import { OidcAuthentication } from './oidc-authentication';
import type { OidcIssuer } from './oidc-issuers';
import type { OperatorKey } from './operator-keys';
import { SignInAudit } from './sign-in-audit';

/** The parts of the service that the access check uses. */
export interface AccessOptions {
  settings: { OIDC_ISSUERS: readonly OidcIssuer[]; OPERATOR_KEYS: readonly OperatorKey[] };
  /** Fetches documents of identity providers. */
  issuerClient: OutboundClient;
  logger: Logger;
  now: () => Date;
  /** Milliseconds of a clock that is never set. */
  monotonicNow: () => number;
}

/** The access check of every endpoint: who calls, and whether this caller may. */
export function createAuthorize(options: AccessOptions, database: Database, admission: Admission) {
  const { settings, issuerClient, logger, now, monotonicNow } = options;
  const oidc = new OidcAuthentication({
    issuers: settings.OIDC_ISSUERS,
    client: issuerClient,
    logger,
    now,
    monotonicNow,
  });
  const signIns = new SignInAudit({ database, logger, now });
  const { OPERATOR_KEYS: operatorKeys } = settings;
  const authentication = new Authentication({ database, operatorKeys, oidc, signIns, logger, now });
  return authorizeWith({ authentication, database, admission });
}
