import { type ProblemCode, problemRegistry } from './registry';

/** Field path (`administrator.email`, `manifests[0].url`, `limit`, `If-Match`, or `body` as a whole) → messages. */
export type FieldErrors = Record<string, string[]>;

/** Codes that have another status in some of their cases. */
const otherStatuses: Partial<Record<ProblemCode, number>> = {
  license_backend_unavailable: 504,
};

interface ProblemOptions {
  /** The code's other status; any but its own two is a TypeError. */
  status?: number;
  /** Response headers. A retryable problem has the `Retry-After` of its code, where this says no other. */
  headers?: Record<string, string>;
  /** Members beyond those of every problem (RFC 9457, section 3.2). */
  members?: Record<string, unknown>;
  /** What led here; logged with internal errors, never sent. */
  cause?: unknown;
}

/** An answer that is a problem. `detail` is public: it names what the caller can change, never anything internal. */
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

/** How many fields the one sentence of `detail` lists. */
const fieldsInDetail = 10;

/** An `invalid_request` that names each field. */
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

/** Renders a problem for the wire. `instance` is the path that was called. */
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
  // In front for the reader, at the end because no other member may replace one of them.
  return { ...standard, ...problem.members, ...standard };
}
