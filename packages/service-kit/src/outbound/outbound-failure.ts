/**
 * - `address_refused`: the URL is not allowed: a refused address, another scheme, or credentials in the URL
 * - `unreachable`: no connection, or it broke before the first byte of the response
 * - `timed_out`: the caller's signal ended the request, at whatever stage
 * - `answer_too_large`: the body or header exceeded its limit
 * - `broken_answer`: not HTTP, or a truncated response
 * - `unknown_coding`: a content coding other than gzip, deflate or br, or more than one
 */
export type OutboundFailureKind =
  | 'address_refused'
  | 'unreachable'
  | 'timed_out'
  | 'answer_too_large'
  | 'broken_answer'
  | 'unknown_coding';

/**
 * How far a request got:
 * - `not_sent`: no byte was sent, so the server has not seen it
 * - `sent_on_kept_connection`: written to a connection kept from an earlier request, and no byte came back. If such a
 *   connection breaks, the server had most likely already closed it for idleness (RFC 9112, section 9.3.1)
 * - `sent`: the server may have acted on it
 * - `answering`: at least the response header was received
 */
export type RequestProgress = 'not_sent' | 'sent_on_kept_connection' | 'sent' | 'answering';

const messages: Record<OutboundFailureKind, string> = {
  address_refused: 'the address is not allowed',
  unreachable: 'the server could not be reached',
  timed_out: 'the server did not answer in time',
  answer_too_large: 'the answer is too large',
  broken_answer: 'the answer is not valid HTTP, or is truncated',
  unknown_coding: 'the answer has an unsupported content coding',
};

/** Why a request has no response. Safe to log: contains neither URL nor address nor headers. */
export class OutboundFailure extends Error {
  /** @param reason the system's error code, such as `ECONNREFUSED`, if any */
  constructor(
    readonly kind: OutboundFailureKind,
    readonly progress: RequestProgress,
    readonly reason?: string,
  ) {
    super(reason === undefined ? messages[kind] : `${messages[kind]} (${reason})`);
    this.name = 'OutboundFailure';
  }

  /** Whether the server may have received the request. */
  get mayHaveReached(): boolean {
    return this.progress !== 'not_sent';
  }
}

/** Converts an error of a socket or of Node's HTTP parser to an `OutboundFailure`. Keeps only its code. */
export function failureOf(error: unknown, progress: RequestProgress): OutboundFailure {
  if (error instanceof OutboundFailure) return error;
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
  const reason = /^[A-Z][A-Z0-9_]{1,60}$/.test(code) ? code : undefined;
  if (code === 'HPE_HEADER_OVERFLOW') return new OutboundFailure('answer_too_large', progress, reason);
  const isBroken = progress === 'answering' || code.startsWith('HPE_');
  return new OutboundFailure(isBroken ? 'broken_answer' : 'unreachable', progress, reason);
}
