import createClient from 'openapi-fetch';
import { UnreadableAnswerError } from './errors';
import { receive } from './receive';
import type { ManagementClient } from './types';

export interface ManagementClientOptions {
  /** The address of the control plane, without `/api`. */
  url: string;
  /**
   * A management key, or a token of your OIDC issuer. A function is called before each call, for tokens that expire. Leave it out for
   * operations that need none, such as a registration.
   */
  credential?: string | (() => string | Promise<string>);
  /** How long a call may take, with its body. 30,000 by default. */
  timeoutMilliseconds?: number;
  /** Sends requests, instead of the global `fetch`. */
  fetch?: (request: Request) => Promise<Response>;
}

/** What is passed on to openapi-fetch. The types of `ManagementClient` say which options each operation has. */
interface UntypedOptions {
  ifMatch?: string;
  idempotencyKey?: string;
  parseAs?: string;
  headers?: RequestInit['headers'];
}

type UntypedRequest = (method: string, path: string, init: object) => Promise<{ data?: unknown; response: Response }>;

/** Creates a client of one control plane. It keeps the credential where neither errors nor `util.inspect` show it. */
export function createManagementClient({
  url,
  credential,
  timeoutMilliseconds = 30_000,
  fetch = globalThis.fetch,
}: ManagementClientOptions): ManagementClient {
  const client = createClient({
    baseUrl: url,
    // A POST that is redirected can become a GET, whose success would look like that of the change.
    redirect: 'manual',
    fetch: (request) => receive(request, { fetch, timeoutMilliseconds }),
  });
  // Untyped inside, because the path is not known here: ManagementClient types what callers pass and get.
  const request = client.request as unknown as UntypedRequest;

  const call =
    (method: string) =>
    async (path: string, options: UntypedOptions = {}) => {
      const { ifMatch, idempotencyKey, parseAs = 'json', ...rest } = options;
      // An `etag` that a proxy took away would otherwise become a change of whatever version there is.
      if ('ifMatch' in options && ifMatch === undefined) throw new TypeError('ifMatch is undefined');
      const headers = new Headers(rest.headers);
      if (credential !== undefined) headers.set('Authorization', `Bearer ${await readCredential(credential)}`);
      if (ifMatch !== undefined) headers.set('If-Match', ifMatch);
      if (idempotencyKey !== undefined) headers.set('Idempotency-Key', idempotencyKey);
      const asText = parseAs === 'json' ? 'text' : parseAs;
      const { data, response } = await request(method, path, { ...rest, headers, parseAs: asText });
      return {
        data: parseAs === 'json' ? readJson(data, response) : data,
        etag: response.headers.get('ETag') ?? undefined,
        response,
      };
    };
  const calls = {
    GET: call('GET'),
    PUT: call('PUT'),
    POST: call('POST'),
    PATCH: call('PATCH'),
    DELETE: call('DELETE'),
  };
  return calls as unknown as ManagementClient;
}

async function readCredential(credential: NonNullable<ManagementClientOptions['credential']>): Promise<string> {
  const value = typeof credential === 'string' ? credential : await credential();
  // The error of `Headers` would show the value.
  if (!/^[\x21-\x7e]+$/.test(value)) throw new TypeError('credential must be ASCII without spaces or line breaks');
  return value;
}

function readJson(text: unknown, { status }: Response): unknown {
  if (status === 204) return undefined;
  try {
    return JSON.parse(String(text));
  } catch {
    // The error of JSON.parse is left out, because it quotes the body, which may have a new key.
    throw new UnreadableAnswerError(status);
  }
}
