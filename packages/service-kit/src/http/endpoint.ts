import type { Request, Response } from 'express';

type Part<Operation, Name extends string> = Operation extends { parameters: { [Key in Name]?: infer Value } }
  ? [NonNullable<Value>] extends [never]
    ? Record<string, never>
    : NonNullable<Value>
  : Record<string, never>;

/** The query of an operation. An integer in it is the text that was sent, its decimal digits; only a default is a number. */
type Query<Parameters> = {
  [Name in keyof Parameters]: number extends Parameters[Name] ? Parameters[Name] | string : Parameters[Name];
};

/** The type of a body; undefined where the document does not require one. A body of bytes may be empty. */
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

/** A response of raw bytes or a table, where the document declares one. */
type BytesReply<Status, Response> = Response extends {
  content: { 'application/octet-stream': unknown } | { 'text/csv': unknown };
}
  ? { status: Status; bytes: Buffer; contentType: string; headers?: Record<string, string> }
  : never;

/** What a handler receives: validated input, typed by the operation of the OpenAPI document. */
export interface EndpointInput<Operation, Context> {
  params: Part<Operation, 'path'>;
  query: Query<Part<Operation, 'query'>>;
  body: Body<Operation>;
  /** The result of the service's access check. */
  context: Context;
  requestId: string;
  request: Request;
  response: Response;
}

/** A response that the operation's document allows. Problems are thrown instead. */
export type EndpointReply<Operation> = Operation extends { responses: infer Responses } ? Replies<Responses> : never;

/** One operation of the OpenAPI document: who may call it, and its handler. */
export interface Endpoint<Access, Context> {
  operationId: string;
  /** Required, so that no operation is public by omission. */
  access: Access;
  handle(input: EndpointInput<never, Context>): Promise<{
    status: PropertyKey;
    body?: unknown;
    bytes?: Buffer;
    contentType?: string;
    headers?: Record<string, string>;
  }>;
}

/** Creates the function with which a service declares its endpoints, typed by its own document. */
export function endpointsOf<Operations, Access, Context>() {
  return <Id extends keyof Operations & string>(endpoint: {
    operationId: Id;
    access: Access;
    handle(input: EndpointInput<Operations[Id], Context>): Promise<EndpointReply<Operations[Id]>>;
  }): Endpoint<Access, Context> =>
    // Safe: the handler's input was validated against this operation.
    endpoint as unknown as Endpoint<Access, Context>;
}
