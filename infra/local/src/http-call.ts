import { ReadableFailure } from './terminal-output';

export interface Call {
  method: 'GET' | 'POST' | 'PATCH';
  url: string;
  headers?: Record<string, string>;
  /** Sent as JSON. */
  json?: unknown;
  /** Sent as text/plain, like browsers do without a content type. */
  text?: string;
}

export interface Answer<Body> {
  status: number;
  headers: Headers;
  body: Body;
}

/** Thrown if a service returns an unexpected status. */
export class UnexpectedAnswer extends ReadableFailure {
  constructor(request: Call, answer: Answer<unknown>) {
    const body = JSON.stringify(answer.body, null, 2);
    super(`${request.method} ${request.url} returned ${answer.status}, which was not expected:\n${body}`);
  }
}

/** Calls a route and parses its JSON response, whatever the status. The caller names the body's type. */
export async function call<Body>(request: Call): Promise<Answer<Body>> {
  const headers: Record<string, string> = { Accept: 'application/json', ...request.headers };
  const init: RequestInit = { method: request.method, headers, signal: AbortSignal.timeout(30_000) };
  if (request.json !== undefined) {
    headers['Content-Type'] = 'application/json';
    init.body = JSON.stringify(request.json);
  } else if (request.text !== undefined) {
    init.body = request.text;
  }
  let response: Response;
  try {
    response = await fetch(request.url, init);
  } catch (error) {
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    throw new ReadableFailure(`${request.method} ${request.url} got no response: ${String(cause)}`);
  }
  return { status: response.status, headers: response.headers, body: parse(await response.text()) as Body };
}

/** Calls a route; throws an {@link UnexpectedAnswer} if the status differs. */
export async function callExpecting<Body>(status: number, request: Call): Promise<Answer<Body>> {
  const answer = await call<Body>(request);
  if (answer.status !== status) throw new UnexpectedAnswer(request, answer);
  return answer;
}

function parse(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    // Not JSON: shown unchanged if the response is unexpected.
    return text;
  }
}
