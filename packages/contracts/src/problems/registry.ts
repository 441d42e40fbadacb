/** What a problem code always has: HTTP status, title, and whether the same request may succeed later unchanged. */
export interface ProblemDefinition {
  readonly status: number;
  readonly title: string;
  readonly retryable: boolean;
  /** The `Retry-After` of a problem that says nothing better; null exactly where the code is not retryable. */
  readonly retryAfterSeconds: number | null;
}

/** No code is retryable without saying when: every answer with it has a `Retry-After`. */
const define = (
  status: number,
  title: string,
  { retryAfterSeconds = null }: { retryAfterSeconds?: number | null } = {},
) => ({ status, title, retryable: retryAfterSeconds !== null, retryAfterSeconds }) satisfies ProblemDefinition;

/** Codes that both services answer with. */
const sharedProblems = {
  invalid_request: define(400, 'The request is invalid'),
  permission_denied: define(403, 'The credential does not hold the permission'),
  route_not_found: define(404, 'No such route'),
  method_not_allowed: define(405, 'The route does not take this method'),
  request_too_large: define(413, 'The request is too large'),
  unsupported_media_type: define(415, 'The media type is not supported'),
  idempotency_key_reused: define(422, 'The Idempotency-Key was used for another request'),
  rate_limited: define(429, 'Too many requests', { retryAfterSeconds: 60 }),
  internal_error: define(500, 'The service failed'),
  service_unavailable: define(503, 'The service is unavailable for now', { retryAfterSeconds: 1 }),
} as const;

/** Every problem code of the control plane. */
export const controlPlaneProblems = {
  ...sharedProblems,
  authentication_required: define(401, 'A valid credential is required'),
  not_found: define(404, 'No such record'),
  conflict: define(409, 'The request conflicts with the present state'),
  record_in_use: define(409, 'Other records need this one'),
  plan_limit_reached: define(403, 'The plan allows no more'),
  precondition_failed: define(412, 'The record has changed since it was read'),
  precondition_required: define(428, 'The request must carry If-Match'),
  registration_paused: define(503, 'Registration is paused', { retryAfterSeconds: 3600 }),
} as const;

/** Every problem code of the playback service (Contract v1). */
export const playbackProblems = {
  ...sharedProblems,
  policy_selection_conflict: define(400, 'A template and a custom policy exclude each other'),
  client_authentication_failed: define(401, 'Client id or access key is not valid'),
  token_invalid: define(401, 'The license token is not valid here'),
  token_expired: define(401, 'The license token has expired'),
  subject_blocked: define(403, 'The viewer is blocked'),
  environment_suspended: define(403, 'The environment is suspended'),
  content_not_available: define(403, 'The content is not available at this time'),
  client_platform_not_allowed: define(403, 'The policy does not allow the platform of the player'),
  session_released: define(403, 'The session was released'),
  session_expired: define(403, 'The session has expired'),
  session_evicted: define(403, 'The session gave way to a newer one'),
  session_terminated: define(403, 'The session was terminated'),
  environment_not_found: define(404, 'No such environment'),
  content_not_found: define(404, 'No such content'),
  session_not_found: define(404, 'No such session'),
  certificate_not_found: define(404, 'The environment has no FairPlay certificate'),
  content_not_published: define(409, 'The content is not published'),
  session_id_reused: define(409, 'The session id was used before'),
  content_type_mismatch: define(422, 'The content is registered with another type'),
  drm_system_not_supported: define(422, 'The DRM system is not supported here'),
  manifest_not_available: define(422, 'No registered manifest fits the player'),
  playback_mode_not_supported: define(422, 'The playback mode is not supported'),
  license_policy_required: define(422, 'A license policy is required'),
  license_policy_template_not_found: define(422, 'No such license policy template'),
  license_policy_invalid: define(422, 'The license policy is not valid'),
  license_challenge_invalid: define(422, 'The license challenge is not valid'),
  license_backend_not_configured: define(422, 'The environment has no license backend for the DRM system'),
  concurrent_stream_limit_reached: define(429, 'The viewer has reached the limit of concurrent streams'),
  organization_stream_limit_reached: define(429, "The organization has reached its plan's limit of concurrent streams"),
  license_backend_refused: define(502, 'The license backend refused'),
  /** 504 where it did not answer in time. */
  license_backend_unavailable: define(502, 'The license backend is unavailable for now', { retryAfterSeconds: 2 }),
} as const;

/** The closed registry: every problem code there is. */
export const problemRegistry = { ...controlPlaneProblems, ...playbackProblems } as const;

export type ProblemCode = keyof typeof problemRegistry;
