/** @import { Stream, Viewer, ViewerEvent } from './types' */

const broken = 'Something went wrong on our side. Please try again later.';
const otherDevice = 'The clip cannot be played on this device. Please use another one.';
const notNow = 'The clip cannot be played at the moment.';
const interrupted = 'The connection was interrupted. Press Play to go on.';
const timeIsOver = 'The time of this stream is over. Press Play to go on.';
const startAgain = 'The clip could not be started. Press Play to try again.';

/**
 * By problem code: every one of playback, and those of this site.
 * @type {Record<string, string>}
 */
const reasons = {
  invalid_request: broken,
  permission_denied: broken,
  route_not_found: broken,
  method_not_allowed: broken,
  request_timeout: interrupted,
  request_too_large: broken,
  unsupported_media_type: broken,
  idempotency_key_reused: startAgain,
  rate_limited: 'There were too many tries. Please wait a minute.',
  internal_error: broken,
  service_unavailable: 'The service cannot be reached. Please try again in a moment.',
  policy_selection_conflict: broken,
  client_authentication_failed: broken,
  token_invalid: startAgain,
  token_expired: timeIsOver,
  subject_blocked: 'Your account is blocked.',
  environment_suspended: 'Nothing can be played at the moment.',
  content_not_available: 'The clip is not available at this time.',
  client_platform_not_allowed: otherDevice,
  session_released: 'This stream has ended.',
  session_expired: timeIsOver,
  session_evicted: 'A newer stream took the place of this one.',
  session_terminated: 'This stream was stopped from another screen.',
  environment_not_found: broken,
  content_not_found: 'This clip does not exist.',
  session_not_found: timeIsOver,
  certificate_not_found: otherDevice,
  content_not_published: 'The clip is not available at this time.',
  session_id_reused: startAgain,
  content_type_mismatch: notNow,
  drm_system_not_supported: otherDevice,
  manifest_not_available: otherDevice,
  playback_mode_not_supported: 'The clip cannot be downloaded.',
  license_policy_required: notNow,
  license_policy_template_not_found: notNow,
  license_policy_invalid: notNow,
  license_challenge_invalid: otherDevice,
  license_backend_not_configured: notNow,
  concurrent_stream_limit_reached: 'You are already watching on as many screens as your plan allows.',
  organization_stream_limit_reached: 'Too many people are watching right now. Please try again later.',
  license_backend_refused: notNow,
  license_backend_unavailable: 'The clip cannot be played at the moment. Please try again in a minute.',
  // Of the package for players.
  network_lost: 'The network was lost, so the clip stopped. Press Play to go on.',
  session_not_created: startAgain,
  player_error: 'This browser cannot play the clip.',
  contract_version_unsupported: 'Please reload the page.',
  not_logged_in: 'Please say who is watching first.',
};

/**
 * Returns the text that viewers see for a refusal.
 * @param {string} code
 */
export function reasonOf(code) {
  return reasons[code] ?? `The clip cannot be played (${code}).`;
}

/** @param {number} seconds */
export function duration(seconds) {
  const minutes = Math.floor(seconds / 60);
  const rest = seconds % 60;
  if (minutes === 0) return `${rest} s`;
  return minutes < 60 ? `${minutes} min ${rest} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** @param {number} count */
export function times(count) {
  return count === 1 ? '1 time' : `${count} times`;
}

/**
 * Returns the text for a tab whose login changed elsewhere.
 * @param {Viewer | null} now
 */
export function loggedOutInWords(now) {
  if (now !== null) return `You were logged out in another tab, where ${now.name} logged in.`;
  return 'You were logged out in another tab, or the site was restarted.';
}

/** @type {Record<string, string>} */
const platforms = { web: 'In a browser', unknown: 'On a device' };

/** @param {Stream} stream */
export function streamInWords(stream) {
  const { platform } = stream;
  return `${platforms[platform] ?? `On ${platform}`} since ${startTime(stream)}`;
}

/** @param {Stream} stream */
export function startTime({ startedAt }) {
  return new Date(startedAt).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit', second: '2-digit' });
}

/** @type {Record<string, string>} */
const events = {
  'session.started': 'A stream started',
  'session.ended': 'A stream ended',
  'session.resumed': 'A stream went on after an interruption',
  'session.refused': 'A stream was refused',
  'license.issued': 'A license was issued',
  'license.refused': 'A license was refused',
  'end_user.blocked': 'Your account was blocked',
  'end_user.unblocked': 'Your account was unblocked',
};

/** @type {Record<string, string>} */
const endReasons = {
  released: 'It was stopped, the clip ended, or its tab was closed.',
  terminated: 'It was stopped from another screen.',
  replaced: 'A new stream replaced it.',
  evicted: 'A newer stream took its place.',
  expired: 'It was not renewed in time.',
  undone: 'It never played.',
  lost: 'The service lost it.',
};

/** @param {ViewerEvent} event */
export function eventInWords({ type }) {
  return events[type] ?? type;
}

/**
 * Returns when an event happened and, of an end or a refusal, why.
 * @param {ViewerEvent} event
 */
export function detailsOfEvent({ timestamp, reason, code }) {
  const time = new Date(timestamp).toLocaleString([], { dateStyle: 'short', timeStyle: 'medium' });
  const why = reason === null ? code && reasonOf(code) : (endReasons[reason] ?? reason);
  return why === null ? time : `${time}. ${why}`;
}

/** @param {number} time milliseconds since 1970 */
export function minuteInWords(time) {
  return new Date(time).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' });
}
