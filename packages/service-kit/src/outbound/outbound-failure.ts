/**
 * - `address_refused`: the URL leads where no request may go: a refused address, another scheme, a URL with credentials
 * - `unreachable`: no connection, or one that broke before a byte of the answer
 * - `timed_out`: the caller's signal ended the request, wherever it was
 * - `answer_too_large`: body or header beyond its limit
 * - `broken_answer`: no HTTP, or an answer that broke off
 * - `unknown_coding`: an answer in a content coding other than gzip, deflate or br, or in several
 */
export type OutboundFailureKind =
  | 'address_refused'
  | 'unreachable'
  | 'timed_out'
  | 'answer_too_large'
  | 'broken_answer'
  | 'unknown_coding';

/**
 * How far a request came:
 * - `not_sent`: not a byte left, so the server has not seen it
 * - `sent_on_kept_connection`: written to a connection that an earlier request left open, and not a byte came back; one
 *   that breaks then was most likely closed for idleness before (RFC 9112, section 9.3.1)
 * - `sent`: the server may have acted on it
 * - `answering`: at least the answer's header came
 */
export type RequestProgress = 'not_sent' | 'sent_on_kept_connection' | 'sent' | 'answering';

const messages: Record<OutboundFailureKind, string> = {
  address_refused: 'the address is not allowed',
  unreachable: 'the server could not be reached',
  timed_out: 'the server did not answer in time',
  answer_too_large: 'the answer is too large',
  broken_answer: 'the answer is broken',
  unknown_coding: 'the answer is in a content coding that is not understood',
};

/** Why a request has no answer. Holds neither URL nor address nor headers, so that it may be logged as it is. */
export class OutboundFailure extends Error {
  /** @param reason the error code of the system, such as `ECONNREFUSED`, where there is one */
  constructor(
    readonly kind: OutboundFailureKind,
    readonly progress: RequestProgress,
    readonly reason?: string,
  ) {
    super(reason === undefined ? messages[kind] : `${messages[kind]} (${reason})`);
    this.name = 'OutboundFailure';
  }

  /** Whether the server may have seen the request. */
  get mayHaveReached(): boolean {
    return this.progress !== 'not_sent';
  }
}

/** The failure that an error of a socket or of Node's HTTP parser stands for. Only its code is kept. */
export function failureOf(error: unknown, progress: RequestProgress): OutboundFailure {
  if (error instanceof OutboundFailure) return error;
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
  const reason = /^[A-Z][A-Z0-9_]{1,60}$/.test(code) ? code : undefined;
  if (code === 'HPE_HEADER_OVERFLOW') return new OutboundFailure('answer_too_large', progress, reason);
  const isBroken = progress === 'answering' || code.startsWith('HPE_');
  return new OutboundFailure(isBroken ? 'broken_answer' : 'unreachable', progress, reason);
}
