import { Problem } from '@multi-drm/contracts';
import type { ReserveResult, SessionRefusal } from '../../slots/slot-store';
import { withTimeTexts } from './time-texts';

/** The viewer may not play: the words say no more, for whoever asks. */
const subjectBlocked = () => new Problem('subject_blocked', 'The viewer is blocked.');

/** The problem of a reservation that was not made. `byKey`: the session id was made of an `Idempotency-Key`. */
export function reservationRefused(
  result: Exclude<ReserveResult, { outcome: 'reserved' | 'repeated' }>,
  byKey: boolean,
): Problem {
  switch (result.outcome) {
    case 'session_id_reused':
      return idReused(byKey, result.byAnotherRequest);
    case 'subject_blocked':
      return subjectBlocked();
    case 'organization_full':
      return new Problem(
        'organization_stream_limit_reached',
        'The organization has as many streams as its plan allows.',
      );
    case 'limit_reached':
      return limitReached(result);
  }
}

/** The problem of a call on a session that is not, or no longer, live, or that the call may not use. */
export function sessionRefused(refusal: SessionRefusal): Problem {
  switch (refusal.outcome) {
    case 'unknown':
      return new Problem('session_not_found', 'There is no such session.');
    case 'released':
      return new Problem('session_released', 'The session was released.');
    case 'terminated':
      return new Problem('session_terminated', 'The session was terminated.');
    case 'evicted':
      return new Problem('session_evicted', 'The session gave way to a newer one of the same viewer.');
    case 'expired':
      return new Problem('session_expired', 'The session has expired.');
    case 'other_reservation':
      return new Problem('token_invalid', 'The license token is for another reservation of the session.');
    case 'subject_blocked':
      return subjectBlocked();
    case 'rate_limited':
      return new Problem('rate_limited', 'The session makes too many of these calls.', {
        headers: { 'Retry-After': String(refusal.retryAfterSeconds) },
      });
  }
}

function idReused(byKey: boolean, byAnotherRequest: boolean): Problem {
  const newOne = 'Each playback attempt needs a new one.';
  if (byKey && byAnotherRequest) {
    return new Problem('idempotency_key_reused', `The Idempotency-Key was used with another body. ${newOne}`);
  }
  const name = byKey ? 'Idempotency-Key' : 'session id';
  const how = byAnotherRequest
    ? 'with another body'
    : 'before, for a session that has ended or that began too long ago to be repeated';
  return new Problem('session_id_reused', `The ${name} was used ${how}. ${newOne}`);
}

function limitReached({ limit, activeSessions }: Extract<ReserveResult, { outcome: 'limit_reached' }>): Problem {
  return new Problem('concurrent_stream_limit_reached', `The viewer has ${limit} streams at once, the most allowed.`, {
    members: { limit, activeSessions: activeSessions.map(withTimeTexts) },
  });
}
