import type { Request, Response } from 'express';

type Part<Operation, Name extends string> = Operation extends { parameters: { [Key in Name]?: infer Value } }
  ? [NonNullable<Value>] extends [never]
    ? Record<string, never>
    : NonNullable<Value>
  : Record<string, never>;

/** What a body may be; undefined where the document does not require one. Bytes may be none. */
type Body<Operation> = Operation extends { requestBody?: { content: { 'application/octet-stream': unknown } } }
  ? Buffer
  : JsonBody<Operation>;

type JsonBody<Operation> = Operation extends { requestBody: { content: { 'application/json': infer Value } } }
  ? Value
  : Operation extends { requestBody?: infer Optional }
    ? NonNullable<Optional> extends { content: { 'application/json': infer Value } }
      ? Value | undefined
      : undefined
    : undefined;

type Replies<Responses> = {
  [Status in keyof Responses]: Responses[Status] extends { content: { 'application/json': infer Value } }
    ? { status: Status; body: Value; headers?: Record<string, string> } | BytesReply<Status, Responses[Status]>
    : Status extends 204
      ? { status: Status; headers?: Record<string, string> }
      : BytesReply<Status, Responses[Status]>;
}[keyof Responses];

/** Bytes as they are, where the document knows the answer as such. */
type BytesReply<Status, Response> = Response extends { content: { 'application/octet-stream': unknown } }
  ? { status: Status; bytes: Buffer; contentType: string; headers?: Record<string, string> }
  : never;

/** What a handler gets: validated input, typed by the operation of the OpenAPI document. */
export interface EndpointInput<Operation, Context> {
  params: Part<Operation, 'path'>;
  query: Part<Operation, 'query'>;
  body: Body<Operation>;
  /** What the access check of the service found out about the caller. */
  context: Context;
  requestId: string;
  request: Request;
  response: Response;
}

/** A JSON answer that the operation's document allows; problems are thrown. */
export type EndpointReply<Operation> = Operation extends { responses: infer Responses } ? Replies<Responses> : never;

/** One operation of the OpenAPI document: who may call it, and what it does. */
export interface Endpoint<Access, Context> {
  operationId: string;
  /** Required, so that no operation is open because somebody forgot it. */
  access: Access;
  handle(input: EndpointInput<never, Context>): Promise<{
    status: PropertyKey;
    body?: unknown;
    bytes?: Buffer;
    contentType?: string;
    headers?: Record<string, string>;
  }>;
}

/** Makes the function by which a service declares its endpoints, with the types of its own document. */
export function endpointsOf<Operations, Access, Context>() {
  return <Id extends keyof Operations & string>(endpoint: {
    operationId: Id;
    access: Access;
    handle(input: EndpointInput<Operations[Id], Context>): Promise<EndpointReply<Operations[Id]>>;
  }): Endpoint<Access, Context> =>
    // Safe: the input that the handler gets was validated against this very operation.
    endpoint as unknown as Endpoint<Access, Context>;
}
