/** The fixed parts of a problem code: HTTP status, title, and whether the same request may succeed later unchanged. */
export interface ProblemDefinition {
  readonly status: number;
  readonly title: string;
  readonly retryable: boolean;
  /** The default `Retry-After`; null if and only if the code is not retryable. */
  readonly retryAfterSeconds: number | null;
}

/** Every retryable code has a default `Retry-After`, so that all its responses have one. */
const define = (
  status: number,
  title: string,
  { retryAfterSeconds = null }: { retryAfterSeconds?: number | null } = {},
) => ({ status, title, retryable: retryAfterSeconds !== null, retryAfterSeconds }) satisfies ProblemDefinition;

/** Codes of both services. */
const sharedProblems = {
  invalid_request: define(400, 'The request is invalid'),
  permission_denied: define(403, 'The credential does not have the permission'),
  route_not_found: define(404, 'The route does not exist'),
  method_not_allowed: define(405, 'The route does not support this method'),
  request_timeout: define(408, 'The request did not arrive in time', { retryAfterSeconds: 1 }),
  request_too_large: define(413, 'The request is too large'),
  unsupported_media_type: define(415, 'The media type is not supported'),
  idempotency_key_reused: define(422, 'The Idempotency-Key was used for another request'),
  rate_limited: define(429, 'Too many requests', { retryAfterSeconds: 60 }),
  internal_error: define(500, 'The service failed'),
  service_unavailable: define(503, 'The service is temporarily unavailable', { retryAfterSeconds: 1 }),
} as const;

/** Every problem code of the control plane. */
export const controlPlaneProblems = {
  ...sharedProblems,
  authentication_required: define(401, 'A valid credential is required'),
  not_found: define(404, 'The record does not exist'),
  conflict: define(409, 'The request conflicts with the current state'),
  record_in_use: define(409, 'The record is used by other records'),
  plan_limit_reached: define(403, 'The limit of the plan has been reached'),
  precondition_failed: define(412, 'The record has changed since it was read'),
  precondition_required: define(428, 'The header If-Match is required'),
  registration_paused: define(503, 'Registration is paused', { retryAfterSeconds: 3600 }),
} as const;

/** Every problem code of the playback service (Contract v1). */
export const playbackProblems = {
  ...sharedProblems,
  policy_selection_conflict: define(400, 'A template and a custom policy cannot be combined'),
  client_authentication_failed: define(401, 'Client id or access key is not valid'),
  token_invalid: define(401, 'The license token is not valid here'),
  token_expired: define(401, 'The license token has expired'),
  subject_blocked: define(403, 'The viewer is blocked'),
  environment_suspended: define(403, 'The environment is suspended'),
  content_not_available: define(403, 'The content is not available at this time'),
  client_platform_not_allowed: define(403, 'The policy does not allow the platform of the player'),
  session_released: define(403, 'The session was released'),
  session_expired: define(403, 'The session has expired'),
  session_evicted: define(403, 'The session was evicted by a newer one'),
  session_terminated: define(403, 'The session was terminated'),
  environment_not_found: define(404, 'The environment does not exist'),
  content_not_found: define(404, 'The content does not exist'),
  session_not_found: define(404, 'The session does not exist'),
  certificate_not_found: define(404, 'The environment has no FairPlay certificate'),
  content_not_published: define(409, 'The content is not published'),
  session_id_reused: define(409, 'The session id has already been used'),
  content_type_mismatch: define(422, 'The content is registered with another type'),
  drm_system_not_supported: define(422, 'The DRM system is not supported here'),
  manifest_not_available: define(422, 'No registered manifest fits the player'),
  playback_mode_not_supported: define(422, 'The playback mode is not supported'),
  license_policy_required: define(422, 'A license policy is required'),
  license_policy_template_not_found: define(422, 'The license policy template does not exist'),
  license_policy_invalid: define(422, 'The license policy is not valid'),
  license_challenge_invalid: define(422, 'The license challenge is not valid'),
  license_backend_not_configured: define(422, 'The environment has no license backend for the DRM system'),
  concurrent_stream_limit_reached: define(429, 'The viewer has reached the limit of concurrent streams'),
  organization_stream_limit_reached: define(429, "The organization has reached its plan's limit of concurrent streams"),
  license_backend_refused: define(502, 'The license backend refused the license'),
  /** 504 on timeout. */
  license_backend_unavailable: define(502, 'The license backend is temporarily unavailable', { retryAfterSeconds: 2 }),
} as const;

/** All problem codes. */
export const problemRegistry = { ...controlPlaneProblems, ...playbackProblems } as const;

export type ProblemCode = keyof typeof problemRegistry;
