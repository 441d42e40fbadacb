import { ManagementProblem, NoAnswerError, type ProblemDocument, UnreadableAnswerError } from './errors';

interface Network {
  fetch: (request: Request) => Promise<Response>;
  timeoutMilliseconds: number;
}

/**
 * Sends a request; resolves to its answer if that is a success, whose body has arrived. Rejects with a `ManagementProblem`, an
 * `UnreadableAnswerError` for another answer, a `NoAnswerError` without one, or with the reason of the request's aborted signal.
 */
export async function receive(request: Request, { fetch, timeoutMilliseconds }: Network): Promise<Response> {
  const signal = AbortSignal.any([request.signal, AbortSignal.timeout(timeoutMilliseconds)]);
  let response: Response;
  let body: ArrayBuffer;
  try {
    response = await fetch(new Request(request, { signal }));
    body = await response.arrayBuffer();
  } catch (cause) {
    request.signal.throwIfAborted();
    throw new NoAnswerError(`no answer to ${request.method} ${new URL(request.url).pathname}`, { cause });
  }
  if (!response.ok) {
    const problem = readProblem(new TextDecoder().decode(body));
    throw problem === undefined ? new UnreadableAnswerError(response.status) : new ManagementProblem(problem, response);
  }
  return new Response(body.byteLength === 0 ? null : body, response);
}

/** A problem document as the control plane sends it; undefined for anything else, such as a proxy's JSON. */
function readProblem(text: string): ProblemDocument | undefined {
  try {
    const problem = JSON.parse(text) as Partial<ProblemDocument> | null;
    const { code, requestId, retryable } = problem ?? {};
    const isProblem = typeof code === 'string' && typeof requestId === 'string' && typeof retryable === 'boolean';
    return isProblem ? (problem as ProblemDocument) : undefined;
  } catch {
    return undefined;
  }
}
