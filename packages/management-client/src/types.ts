import type {
  Client,
  ClientPathsWithMethod,
  FetchOptions,
  FetchResponse,
  ParseAs,
  ParseAsResponse,
} from 'openapi-fetch';
import type { components, paths } from './generated/control-plane';

/** The paths of the control plane's OpenAPI document, with their operations. */
export type ManagementPaths = paths;

/** The schemas of that document by name, e.g. `ManagementSchemas['ProjectResponse']`. */
export type ManagementSchemas = components['schemas'];

type Method = 'get' | 'put' | 'post' | 'patch' | 'delete';

type PathOf<M extends Method> = ClientPathsWithMethod<Client<ManagementPaths>, M>;

type HeadersOf<Operation> = Operation extends { parameters: { header?: infer Headers } } ? NonNullable<Headers> : never;

/** An option for a header, if the operation takes it. */
type HeaderOption<Operation, Header extends string, Option extends string> = [HeadersOf<Operation>] extends [never]
  ? unknown
  : Header extends keyof HeadersOf<Operation>
    ? { [Name in Option]?: string }
    : unknown;

/**
 * What a call takes: `params` (`path` and `query`), `body`, and what `fetch` takes, such as `signal`. `ifMatch`: the `etag` of the record as
 * you last read it, or `*`. `idempotencyKey`: makes a create safe to repeat. `parseAs: 'text'` for CSV.
 */
export type CallOptions<Operation, As extends ParseAs = 'json'> = Omit<FetchOptions<Operation>, 'parseAs'> & {
  parseAs?: As;
} & HeaderOption<Operation, 'If-Match', 'ifMatch'> &
  HeaderOption<Operation, 'Idempotency-Key', 'idempotencyKey'>;

/** The JSON of a success; never if there is none. */
type DataOf<Operation> =
  Operation extends Record<string | number, unknown>
    ? NonNullable<FetchResponse<Operation, object, 'application/json'>['data']>
    : never;

/** Answers of these statuses may have an `ETag`. */
type EtagOf<Operation> = Operation extends { responses: { 200: { headers: { ETag: string } } } } ? string : undefined;

/** A success. Everything else is thrown. */
export interface Answer<Operation, As extends ParseAs = 'json'> {
  /** The body; undefined if the operation answers 204. */
  data: [DataOf<Operation>] extends [never] ? undefined : ParseAsResponse<DataOf<Operation>, { parseAs: As }>;
  /** The version of the record, for `ifMatch`. */
  etag: EtagOf<Operation>;
  /** Status and headers. Its body has been read. */
  response: Response;
}

/**
 * Calls an operation. Rejects with a `ManagementProblem`, a `NoAnswerError`, an `UnreadableAnswerError`, or with the reason of an aborted
 * `signal`.
 */
export type Call<M extends Method> = <Path extends PathOf<M>, As extends ParseAs = 'json'>(
  path: Path,
  ...options: object extends CallOptions<ManagementPaths[Path][M], As>
    ? [CallOptions<ManagementPaths[Path][M], As>?]
    : [CallOptions<ManagementPaths[Path][M], As>]
) => Promise<Answer<ManagementPaths[Path][M], As>>;

/** Every operation of the control plane, by method and path. */
export interface ManagementClient {
  GET: Call<'get'>;
  PUT: Call<'put'>;
  POST: Call<'post'>;
  PATCH: Call<'patch'>;
  DELETE: Call<'delete'>;
}
