import { type ProblemCode, problemRegistry } from './registry';

/** Field path (`administrator.email`, `manifests[0].url`, `limit`, `If-Match`, or `body` as a whole) → messages. */
export type FieldErrors = Record<string, string[]>;

/** Codes that have a second status for some cases. */
const otherStatuses: Partial<Record<ProblemCode, number>> = {
  license_backend_unavailable: 504,
};

interface ProblemOptions {
  /** The code's second status; any other value is a TypeError. */
  status?: number;
  /** Response headers. The default `Retry-After` of a retryable code is added unless given here. */
  headers?: Record<string, string>;
  /** Members in addition to the standard ones (RFC 9457, section 3.2). */
  members?: Record<string, unknown>;
  /** The underlying error: logged with internal errors, never sent. */
  cause?: unknown;
}

/** An error response. `detail` is public: it names what the caller can change, never anything internal. */
export class Problem extends Error {
  readonly code: ProblemCode;
  readonly status: number;
  readonly detail: string;
  readonly headers: Record<string, string>;
  readonly members: Record<string, unknown>;

  constructor(code: ProblemCode, detail: string, options: ProblemOptions = {}) {
    super(detail, { cause: options.cause });
    this.name = 'Problem';
    this.code = code;
    this.status = options.status ?? problemRegistry[code].status;
    if (this.status !== problemRegistry[code].status && this.status !== otherStatuses[code]) {
      throw new TypeError(`${code} has no status ${this.status}`);
    }
    this.detail = detail;
    const { retryAfterSeconds } = problemRegistry[code];
    const retryAfter = retryAfterSeconds === null ? {} : { 'Retry-After': String(retryAfterSeconds) };
    this.headers = { ...retryAfter, ...options.headers };
    this.members = options.members ?? {};
  }
}

/** How many fields `detail` lists. */
const fieldsInDetail = 10;

/** Creates an `invalid_request` that lists each field. */
export function invalidRequest(errors: FieldErrors): Problem {
  const fields = Object.keys(errors);
  const listed = fields.slice(0, fieldsInDetail).join(', ');
  const more = fields.length > fieldsInDetail ? ` and ${fields.length - fieldsInDetail} more` : '';
  return new Problem('invalid_request', `Invalid: ${listed}${more}.`, { members: { errors } });
}

/** The members of every problem document (RFC 9457) of this product. */
export interface ProblemDocument {
  type: string;
  title: string;
  status: number;
  detail: string;
  instance: string;
  code: ProblemCode;
  requestId: string;
  retryable: boolean;
  [member: string]: unknown;
}

/** Serializes a problem for a response. `instance` is the requested path. */
export function problemDocument(problem: Problem, request: { requestId: string; instance: string }): ProblemDocument {
  const { title, retryable } = problemRegistry[problem.code];
  const standard = {
    type: `urn:multi-drm:problem:${problem.code}`,
    title,
    status: problem.status,
    detail: problem.detail,
    instance: request.instance,
    code: problem.code,
    requestId: request.requestId,
    retryable,
  };
  // First for readability, and again last, so that no other member can replace them.
  return { ...standard, ...problem.members, ...standard };
}
