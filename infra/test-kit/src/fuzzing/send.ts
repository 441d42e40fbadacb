import { type Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';

/** A request exactly as sent: the path is not normalized and the body is bytes. */
export interface FuzzRequest {
  method: string;
  /** Including the query. */
  path: string;
  headers: Record<string, string>;
  body: Buffer | null;
}

export interface FuzzAnswer {
  status: number;
  headers: NodeJS.Dict<string | string[]>;
  text: string;
}

/** The timeout of a response, in milliseconds: it detects hangs and does not measure speed. */
const longestAnswer = 10_000;

/** Sends a request; fails if the complete response does not arrive in time. */
export function send(origin: string, agent: Agent, { method, path, headers, body }: FuzzRequest): Promise<FuzzAnswer> {
  const { hostname, port } = new URL(origin);
  const length = body === null ? {} : { 'Content-Length': String(body.length) };
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        agent,
        hostname,
        port,
        method,
        path,
        headers: { ...headers, ...length },
        signal: AbortSignal.timeout(longestAnswer),
      },
      (response) => {
        const { statusCode: status = 0, headers } = response;
        text(response).then((text) => resolve({ status, headers, text }), reject);
      },
    );
    sent.on('error', reject);
    sent.end(body ?? undefined);
  });
}
