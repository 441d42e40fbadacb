/**
 * Why playback has ended: the code of a problem of the playback service, what `createSession` rejected with as its `code`, or one of these.
 * - `session_not_created`: `createSession` rejected without a code, did not settle in time, or returned no new session of Contract v1.
 * - `contract_version_unsupported`: the service answered in another version of the contract.
 * - `network_lost`: the player needed something and got no answer.
 * - `player_error`: any other failure of the player, which is the `error`.
 */
export type EndCode =
  | 'session_not_created'
  | 'contract_version_unsupported'
  | 'network_lost'
  | 'player_error'
  | (string & {});

/** The part of a problem document that decides what a player does. */
export interface PlaybackProblem {
  code: string;
  retryable: boolean;
}

/** Reads a problem document as a player got it: text, bytes or parsed JSON. Returns undefined if it is none. */
export function problemIn(body: unknown): PlaybackProblem | undefined {
  let value = body;
  if (body instanceof ArrayBuffer) value = new TextDecoder().decode(body);
  if (typeof value === 'string') {
    try {
      value = JSON.parse(value);
    } catch {
      return undefined; // a proxy's page
    }
  }
  const { code, retryable } = (value ?? {}) as Partial<PlaybackProblem>;
  return typeof code === 'string' ? { code, retryable: retryable === true } : undefined;
}

const longestRetrySeconds = 60;

/** How long a `Retry-After` asks to wait, in seconds: at most a minute; undefined if it names no number of seconds. */
export function secondsOf(retryAfter: string | null): number | undefined {
  const seconds = Number(retryAfter);
  return seconds > 0 ? Math.min(seconds, longestRetrySeconds) : undefined;
}
