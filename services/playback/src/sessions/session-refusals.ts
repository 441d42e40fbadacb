import { Problem } from '@multi-drm/contracts';
import type { Refusal } from '@multi-drm/policy';
import { rateLimited } from '@multi-drm/service-kit';
import type { ReserveResult, SessionRefusal } from '@multi-drm/slots';
import { withFormattedTimes } from './format-session-times';

/** The detail gives no reason, so that none is disclosed to any caller. */
const subjectBlocked = () => new Problem('subject_blocked', 'The viewer is blocked.');

/** Returns the problem for a decision that refuses. */
export function decisionRefused({ code, detail }: Refusal): Problem {
  return new Problem(code, detail);
}

/**
 * Returns the problem for a refused reservation. `byKey`: the session id was derived from an `Idempotency-Key`. `nextStartSeconds`: when
 * the organization may start another session.
 */
export function reservationRefused(
  result: Exclude<ReserveResult, { outcome: 'reserved' | 'repeated' }>,
  byKey: boolean,
  nextStartSeconds: number,
): Problem {
  switch (result.outcome) {
    case 'session_id_reused':
      return idReused(byKey, result.byAnotherRequest);
    case 'subject_blocked':
      return subjectBlocked();
    case 'organization_full':
      return new Problem(
        'organization_stream_limit_reached',
        'The organization has reached the number of concurrent streams in its plan.',
      );
    case 'limit_reached':
      return limitReached(result);
    case 'starts_used_up':
      return rateLimited(nextStartSeconds, 'The organization has started too many sessions within a minute.');
  }
}

/** Returns the problem for a call on a session that is not active, or that the call may not use. */
export function sessionRefused(refusal: SessionRefusal): Problem {
  switch (refusal.outcome) {
    case 'unknown':
      return new Problem('session_not_found', 'The session does not exist.');
    case 'released':
      return new Problem('session_released', 'The session was released.');
    case 'terminated':
      return new Problem('session_terminated', 'The session was terminated.');
    case 'evicted':
      return new Problem('session_evicted', 'The session was ended to make room for a newer one of the same viewer.');
    case 'expired':
      return new Problem('session_expired', 'The session has expired.');
    case 'other_reservation':
      return new Problem('token_invalid', 'The license token is for another reservation of the session.');
    case 'subject_blocked':
      return subjectBlocked();
    case 'rate_limited':
      return new Problem('rate_limited', 'The session has made too many calls of this kind.', {
        headers: { 'Retry-After': String(refusal.retryAfterSeconds) },
      });
  }
}

function idReused(byKey: boolean, byAnotherRequest: boolean): Problem {
  const newOne = 'Use a new one for each playback attempt.';
  if (byKey && byAnotherRequest) {
    return new Problem(
      'idempotency_key_reused',
      `The Idempotency-Key was already used with a different body. ${newOne}`,
    );
  }
  const name = byKey ? 'Idempotency-Key' : 'session id';
  const how = byAnotherRequest
    ? 'with a different body'
    : 'for a session that has ended or started too long ago to be repeated';
  return new Problem('session_id_reused', `The ${name} was already used ${how}. ${newOne}`);
}

function limitReached({ limit, activeSessions }: Extract<ReserveResult, { outcome: 'limit_reached' }>): Problem {
  return new Problem(
    'concurrent_stream_limit_reached',
    `The viewer has reached the limit of concurrent streams, ${limit}.`,
    {
      members: { limit, activeSessions: activeSessions.map(withFormattedTimes) },
    },
  );
}
