export type Operation = 'create' | 'release' | 'renew' | 'license' | 'live' | 'ready' | 'manage';

/** The result of one call. */
export interface Answer {
  operation: Operation;
  /** The base URL of the called process. */
  baseUrl: string;
  /** When it was sent; milliseconds since 1970. */
  sentAt: number;
  milliseconds: number;
  /** 0: no response. */
  status: number;
  /** The problem code, or the connection error if there was no response. */
  code: string;
  body: Record<string, unknown>;
  /** Whether a refusal is correct because the session has ended or is just ending. */
  ending?: boolean;
}

/** `refused`: by a rule that the caller violated. `failed`: everything else that is not a success. */
export function outcomeOf({ operation, status, code, ending }: Answer): 'answered' | 'refused' | 'failed' {
  if (status >= 200 && status < 300) return 'answered';
  if (operation === 'create' && code === 'concurrent_stream_limit_reached') return 'refused';
  return ending === true && status >= 400 && status < 500 && status !== 401 ? 'refused' : 'failed';
}

/** Longer than any response may take: the guarantee is a second. */
const patienceMilliseconds = 15_000;

export interface Call {
  operation: Operation;
  method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  baseUrl: string;
  path: string;
  headers?: Record<string, string>;
  /** Sent as JSON, or as bytes if it is a string. */
  body?: object | string;
  /** How a string stands for the bytes. Default: UTF-8. */
  encoding?: 'base64';
}

/** Calls a process once; never rejects. */
export async function send(call: Call): Promise<Answer> {
  const { operation, method = 'POST', baseUrl, path, headers, body, encoding = 'utf8' } = call;
  const sentAt = Date.now();
  const since = performance.now();
  const outcome = await fetch(`${baseUrl}${path}`, {
    method,
    headers: { ...(body === undefined ? {} : { 'Content-Type': contentTypeOf(body) }), ...headers },
    ...(body === undefined
      ? {}
      : { body: typeof body === 'string' ? Buffer.from(body, encoding) : JSON.stringify(body) }),
    signal: AbortSignal.timeout(patienceMilliseconds),
  })
    .then(async (response) => ({ status: response.status, body: bodyOf(await response.text()) }))
    .catch((error: unknown) => ({ status: 0, body: { code: reasonOf(error) } }));
  const milliseconds = performance.now() - since;
  const code = 'code' in outcome.body ? String(outcome.body.code) : '';
  return { operation, baseUrl, sentAt, milliseconds, status: outcome.status, code, body: outcome.body };
}

const contentTypeOf = (body: object | string) =>
  typeof body === 'string' ? 'application/octet-stream' : 'application/json';

function bodyOf(text: string): Record<string, unknown> {
  if (text === '') return {};
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return { code: 'not JSON' };
  }
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  if (cause instanceof Error && 'code' in cause) return String(cause.code);
  return cause instanceof Error ? cause.name : String(cause);
}
