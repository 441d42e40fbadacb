import { Problem } from '@multi-drm/contracts';

/** The problem of a call whose credential is missing, or opens nothing. */
export function authenticationRequired(detail = 'The credential is unknown, expired or revoked.'): Problem {
  return new Problem('authentication_required', detail);
}
