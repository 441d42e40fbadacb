import { PlaybackProblem, UnreadableAnswerError } from './playback-error';
import type { ProblemDocument } from './types';

/** What to repeat if the answer is not of the service: a damaged success, and what proxies answer for a service that they cannot reach. */
const repeatableStatuses = [429, 502, 503, 504];

/** Whether a body, undefined if there is none, is the answer of an operation. */
export type IsAnswer = (body: unknown, status: number) => boolean;

/** Which operation was called, and what it answers. */
export interface Expected {
  /** Named in errors. The URL is not, because it may have a subject. */
  operation: string;
  isAnswer: IsAnswer;
}

/**
 * Returns the body of a success of an operation. Throws a {@link PlaybackProblem} or an {@link UnreadableAnswerError}.
 *
 * @param date - the time, in milliseconds since 1970, for answers that do not have theirs
 */
export function readAnswer(response: Response, text: string, { operation, isAnswer }: Expected, date: number): unknown {
  const { ok, status } = response;
  const body = parse(text);
  if (ok && isAnswer(body, status)) return body;
  const retryAfter = retryAfterSeconds(response.headers, date);
  if (!ok && isProblem(body)) throw new PlaybackProblem(body, status, retryAfter);
  const version = member(body, 'contractVersion');
  if (ok && version !== undefined && version !== 1) {
    throw new UnreadableAnswerError(
      `${operation} got the contract version ${Number(version)}, which this client does not know`,
      status,
      false,
    );
  }
  const isRepeatable = ok || repeatableStatuses.includes(status);
  throw new UnreadableAnswerError(
    `${operation} got HTTP ${status}, but not from the service`,
    status,
    isRepeatable,
    retryAfter,
  );
}

/** Reads a member of what may be an object. */
export function member(body: unknown, name: string): unknown {
  return typeof body === 'object' && body !== null ? Reflect.get(body, name) : undefined;
}

function isProblem(body: unknown): body is ProblemDocument {
  return typeof member(body, 'code') === 'string' && typeof member(body, 'retryable') === 'boolean';
}

/** The error is left out, because it quotes the text: a proxy may repeat the request's headers in it. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** `Retry-After` (RFC 9110) in seconds or as a date, compared with the `Date` of the same answer. Undefined if it is neither. */
function retryAfterSeconds(headers: Headers, date: number): number | undefined {
  const text = headers.get('Retry-After') ?? '';
  if (/^\d+$/.test(text)) return Number(text);
  // Date.parse alone would also read "-5" as a date.
  const until = text.endsWith('GMT') ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(until)) return undefined;
  const sent = Date.parse(headers.get('Date') ?? '');
  return Math.max(0, Math.ceil((until - (Number.isNaN(sent) ? date : sent)) / 1000));
}
