import { Problem } from '@multi-drm/contracts';

/** The problem of a request without a credential, or with one that is not valid. */
export function authenticationRequired(detail = 'The credential is unknown, expired or revoked.'): Problem {
  return new Problem('authentication_required', detail);
}
