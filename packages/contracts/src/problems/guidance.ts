import type { controlPlaneProblems, playbackProblems } from './registry';

/** What `docs/errors.md` says about a problem code of playback. Markdown, because it is copied there. */
export interface PlaybackGuidance {
  readonly whatToDo: string;
  readonly whoActs: string;
  /** A message for the viewer in quotation marks, or what to do instead of showing one. */
  readonly toViewers: string;
}

/** What callers of the control plane should do, by problem code. */
export const controlPlaneGuidance: Record<keyof typeof controlPlaneProblems, string> = {
  invalid_request: 'Correct the fields that `errors` names',
  permission_denied: 'Use a credential whose role has the permission that `detail` names',
  route_not_found: 'Check the path',
  method_not_allowed: 'Use a method of the header `Allow`',
  request_timeout: 'Repeat; the request took too long to arrive, so nothing was done',
  request_too_large: 'Send a smaller body; `detail` names the limit',
  unsupported_media_type: 'Send `application/json` in UTF-8',
  idempotency_key_reused: 'Generate a new `Idempotency-Key` for each record; a repeat must have the same body',
  rate_limited: 'Wait `Retry-After` seconds; make fewer calls at the same time',
  internal_error: 'Report the `requestId` to the operator',
  service_unavailable: 'Repeat after `Retry-After` seconds',
  authentication_required: 'Check the key or token; it may be revoked or expired',
  not_found: 'Check the id; a record of another organization is not found either',
  conflict: 'Do first what `detail` says',
  record_in_use: 'Remove what uses the record, which `detail` names, or send `cascade=true` where it is offered',
  plan_limit_reached: 'Archive records, or ask the operator for a larger plan',
  precondition_failed: 'Read the record again, and send its `ETag` as `If-Match`',
  precondition_required: "Send the record's `ETag` as `If-Match`, or `*`",
  registration_paused: 'Wait, or ask the operator',
};

/** What callers of playback should do, by problem code. */
export const playbackGuidance: Record<keyof typeof playbackProblems, PlaybackGuidance> = {
  invalid_request: {
    whatToDo: 'Correct the fields that `errors` names',
    whoActs: 'your developers',
    toViewers: '"Something went wrong on our side. Please try again later."',
  },
  permission_denied: {
    whatToDo: 'Give the API client the permission that `detail` names',
    whoActs: 'your administrator',
    toViewers: '"Something went wrong on our side. Please try again later."',
  },
  route_not_found: {
    whatToDo: 'Check the path; use the URLs from the response',
    whoActs: 'your developers',
    toViewers: '"Something went wrong on our side. Please try again later."',
  },
  method_not_allowed: {
    whatToDo: 'Use a method of the header `Allow`',
    whoActs: 'your developers',
    toViewers: '"Something went wrong on our side. Please try again later."',
  },
  request_timeout: {
    whatToDo: 'Repeat; the request or its body took longer than 10 to 30 seconds to arrive, so nothing was done',
    whoActs: 'nobody; try again',
    toViewers: '"The connection was interrupted. Press Play to continue."',
  },
  request_too_large: {
    whatToDo: 'Send at most 64 KiB, with a beacon 8 KiB',
    whoActs: 'your developers',
    toViewers: '"Something went wrong on our side. Please try again later."',
  },
  unsupported_media_type: {
    whatToDo: 'Send `application/json` in UTF-8',
    whoActs: 'your developers',
    toViewers: '"Something went wrong on our side. Please try again later."',
  },
  idempotency_key_reused: {
    whatToDo: 'Generate a new `Idempotency-Key` for each attempt; a repeat must have the same body',
    whoActs: 'your developers: a new key for each attempt',
    toViewers: 'nothing; try once with a new key',
  },
  rate_limited: {
    whatToDo: 'Wait `Retry-After` seconds',
    whoActs: 'your player or backend: wait',
    toViewers: 'nothing while it waits; then: "Please try again in a minute."',
  },
  internal_error: {
    whatToDo: 'Report the `requestId` to the operator',
    whoActs: 'the operator',
    toViewers: '"Something went wrong on our side. Please try again later."',
  },
  service_unavailable: {
    whatToDo:
      'Repeat after `Retry-After` seconds. Also returned while an emptied data store is filled again, which may take some minutes for a very large project',
    whoActs: 'the operator',
    toViewers: '"Something went wrong on our side. Please try again in a minute."',
  },
  policy_selection_conflict: {
    whatToDo: 'Send a template or a custom policy, not both',
    whoActs: 'your developers',
    toViewers: '"Something went wrong on our side. Please try again later."',
  },
  client_authentication_failed: {
    whatToDo: 'Check client id and access key; the API client may be revoked or expired',
    whoActs: 'your operations',
    toViewers: '"Something went wrong on our side. Please try again later."',
  },
  token_invalid: {
    whatToDo: 'Send the token from the response for this session and environment; otherwise create a new session',
    whoActs: 'your player: a new session',
    toViewers: 'nothing; if it happens again: "Please start the video again."',
  },
  token_expired: {
    whatToDo: 'Create a new session; next time renew before `tokenExpiresAt`',
    whoActs: 'your player: a new session',
    toViewers: 'nothing; if it happens again: "Please start the video again."',
  },
  subject_blocked: {
    whatToDo: 'Stop and tell the viewer: your support or an administrator has blocked them',
    whoActs: 'your support',
    toViewers: '"Your account cannot play videos. Please contact support."',
  },
  environment_suspended: {
    whatToDo: 'Ask the operator: your organization is not active',
    whoActs: 'your administrator, the operator',
    toViewers: '"Videos cannot be played at the moment."',
  },
  content_not_available: {
    whatToDo: 'Stop and tell the viewer: outside the availability window of the rights',
    whoActs: "nobody: outside the rights' window",
    toViewers: '"This video is not available at this time."',
  },
  client_platform_not_allowed: {
    whatToDo: 'Tell the viewer to use another device; send `clientPlatform`',
    whoActs: 'the viewer',
    toViewers: '"This video cannot be played on this kind of device. Please use another one."',
  },
  session_released: {
    whatToDo: 'Stop, unless this player released it itself; a new attempt needs a new session',
    whoActs: 'the viewer',
    toViewers: '"Playback has ended. Press Play to watch again."',
  },
  session_expired: {
    whatToDo: 'Create a new session; next time renew before `expiresAt`',
    whoActs: 'your player: a new session',
    toViewers: '"The connection was interrupted. Press Play to continue."',
  },
  session_evicted: {
    whatToDo: 'Stop and tell the viewer: a newer session took its place. Do not start a new one automatically',
    whoActs: 'the viewer',
    toViewers: '"Playback continued on another device."',
  },
  session_terminated: {
    whatToDo: 'Stop and tell the viewer: your backend or your support ended the session',
    whoActs: 'the viewer',
    toViewers: '"Playback was stopped. Please contact support if you did not expect this."',
  },
  environment_not_found: {
    whatToDo: 'Check `siteId`, and the project and environments of the API client',
    whoActs: 'your developers',
    toViewers: '"Something went wrong on our side. Please try again later."',
  },
  content_not_found: {
    whatToDo: 'Check `contentId` and the environment',
    whoActs: 'your editors',
    toViewers: '"This video is not available."',
  },
  session_not_found: {
    whatToDo: 'Create a new session; if a backend renews, check subject and id',
    whoActs: 'your player: a new session',
    toViewers: '"The connection was interrupted. Press Play to continue."',
  },
  certificate_not_found: {
    whatToDo: 'Ask the administrator to upload the FairPlay certificate',
    whoActs: 'your administrator',
    toViewers: '"This video cannot be played on this device at the moment."',
  },
  content_not_published: {
    whatToDo: 'Publish the content',
    whoActs: 'your editors',
    toViewers: '"This video is not available yet."',
  },
  session_id_reused: {
    whatToDo: 'Generate a new `sessionId` for each attempt',
    whoActs: 'your developers: a new id for each attempt',
    toViewers: 'nothing; try once with a new id',
  },
  content_type_mismatch: {
    whatToDo: 'Send the registered `contentType`, `vod` for audio; a document has no session',
    whoActs: 'your editors',
    toViewers: '"This video cannot be played at the moment."',
  },
  drm_system_not_supported: {
    whatToDo:
      'Choose a DRM system that the player has and the environment enables; if `detail` mentions the license backend, register what it says is missing',
    whoActs: 'your administrator',
    toViewers: '"This video cannot be played on this device. Please use another one."',
  },
  manifest_not_available: {
    whatToDo: 'Register a manifest for the DRM system, or accept another type',
    whoActs: 'your editors',
    toViewers: '"This video cannot be played on this device. Please use another one."',
  },
  playback_mode_not_supported: {
    whatToDo: 'Send `streaming`',
    whoActs: 'your developers',
    toViewers: '"This video cannot be downloaded."',
  },
  license_policy_required: {
    whatToDo: 'Send a template, a custom policy, or `useEnvironmentDefaults` if the environment has a default',
    whoActs: 'your administrator',
    toViewers: '"This video cannot be played at the moment."',
  },
  license_policy_template_not_found: {
    whatToDo: "Check the name, also of the content's own license profile and of the environment's default",
    whoActs: 'your administrator',
    toViewers: '"This video cannot be played at the moment."',
  },
  license_policy_invalid: {
    whatToDo: 'Correct the policy as `detail` says; the evaluation shows where each value comes from',
    whoActs: 'your administrator',
    toViewers: '"This video cannot be played on this device at the moment."',
  },
  license_challenge_invalid: {
    whatToDo:
      'The player sent something that is not a challenge of this DRM system, or a challenge that the license server or ClearKey has no license for; `detail` says which',
    whoActs: "your player's developers",
    toViewers: '"This video cannot be played on this device. Please use another one."',
  },
  license_backend_not_configured: {
    whatToDo: 'Ask the administrator to configure a license backend for the DRM system',
    whoActs: 'your administrator',
    toViewers: '"This video cannot be played on this device at the moment."',
  },
  concurrent_stream_limit_reached: {
    whatToDo:
      'Tell the viewer; offer to stop another session; see [at the stream limit](backend.md#at-the-stream-limit)',
    whoActs: 'the viewer',
    toViewers: '"You are already watching on 2 devices. Stop one of them to watch here."',
  },
  organization_stream_limit_reached: {
    whatToDo: 'Wait for sessions to end, or change the plan',
    whoActs: 'your administrator: a larger plan',
    toViewers: '"Too many people are watching right now. Please try again later."',
  },
  license_backend_refused: {
    whatToDo: '`detail` says what is wrong: the settings of the license backend, its own rules, or the policy',
    whoActs: 'your administrator',
    toViewers: '"This video cannot be played at the moment."',
  },
  license_backend_unavailable: {
    whatToDo: 'Repeat after `Retry-After` seconds. The status is 504 if the license server did not answer in time',
    whoActs: 'the license vendor',
    toViewers: '"This video cannot be played at the moment. Please try again in a minute."',
  },
};
