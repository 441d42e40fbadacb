import type { ManagementSchemas } from './types';

type ProblemDetails = ManagementSchemas['ProblemDetails'];

/** A problem document (RFC 9457). A newer control plane may send other codes and members. */
export type ProblemDocument = Omit<ProblemDetails, 'code'> & {
  code: ProblemDetails['code'] | (string & {});
  errors?: ManagementSchemas['HttpValidationProblemDetails']['errors'];
  [member: string]: unknown;
};

/** The control plane refused a call. Decide by `code`; for a code that you do not know, by `status` and `retryable`. */
export class ManagementProblem extends Error {
  override readonly name = 'ManagementProblem';
  readonly code: ProblemDocument['code'];
  readonly status: number;
  /** Whether the same call may succeed later without changes. */
  readonly retryable: boolean;
  /** Names the call in the logs of the control plane. */
  readonly requestId: string;
  /** What went wrong, for developers. */
  readonly detail: string;
  /** With `invalid_request`: the messages by field. */
  readonly errors?: Record<string, string[]>;
  /** After how many seconds to call again, if the answer said so. */
  readonly retryAfterSeconds?: number;

  constructor(
    /** The whole document. */
    readonly problem: ProblemDocument,
    response: Pick<Response, 'status' | 'headers'>,
  ) {
    super(`${problem.code}: ${problem.detail} (request ${problem.requestId})`);
    this.code = problem.code;
    this.status = response.status;
    this.retryable = problem.retryable;
    this.requestId = problem.requestId;
    this.detail = problem.detail;
    if (problem.errors !== undefined) this.errors = problem.errors;
    const retryAfter = response.headers.get('Retry-After') ?? '';
    if (/^\d+$/.test(retryAfter)) this.retryAfterSeconds = Number(retryAfter);
  }
}

/** There was no whole answer: no connection, a time-out, or a body that was cut off. What was asked may have been done. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError';
}

/** The answer does not come from the control plane but, for example, from a proxy before it. */
export class UnreadableAnswerError extends Error {
  override readonly name = 'UnreadableAnswerError';

  constructor(readonly status: number) {
    super(`HTTP ${status}, not from the control plane`);
  }
}
