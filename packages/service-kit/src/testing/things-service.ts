import { type OpenApiDocument, Problem } from '@multi-drm/contracts';
import express, { type Express, type Request } from 'express';
import type { Endpoint, EndpointInput } from '../http/endpoint';
import { mountEndpoints } from '../http/mount-endpoints';
import { problemExit } from '../http/problem-exit';
import { requestContext } from '../http/request-context';
import type { Logger } from '../logger';
import { thingsDocument } from './things-document';

type Access = 'public' | 'owner';
type Input = Pick<EndpointInput<never, { caller: string }>, 'context' | 'requestId' | 'request' | 'response'> & {
  params: Record<string, string>;
  query: Record<string, unknown>;
  body: Record<string, unknown>;
};
type Reply = Awaited<ReturnType<Endpoint<Access, unknown>['handle']>>;
type Handle = (input: Input) => Promise<Reply>;

/** A log entry of the service under test. */
export interface LogEntry {
  level: string;
  message: string;
  fields: Record<string, unknown> | undefined;
}

interface ThingsOptions {
  /** Handlers that replace the default ones, by operation id. */
  handlers?: Record<string, Handle>;
  authorize?: (access: Access, request: Request) => Promise<{ caller: string }> | { caller: string };
  document?: OpenApiDocument;
  validateResponses?: boolean;
  toProblem?: (error: unknown) => Problem | undefined;
  onLogged?: (entry: LogEntry) => void;
}

const handlers: Record<string, Handle> = {
  listThings: async ({ query }) => ({ status: 200, body: { limit: query.limit, offset: query.offset } }),
  createThing: async ({ body }) => ({ status: 201, body: { name: body.name } }),
  getThing: async ({ params }) => ({ status: 200, body: { name: params.name } }),
  getLatestThing: async () => ({ status: 200, body: { name: 'the latest one' } }),
  changeThing: async ({ params }) => ({ status: 200, body: { name: params.name } }),
  releaseThing: async () => ({ status: 204 }),
};

/** Accepts callers that send `Authorization: let-me-in`. */
function letIn(_access: Access, request: Request) {
  if (request.get('Authorization') !== 'let-me-in') throw new Problem('authentication_required', 'Send let-me-in.');
  return { caller: 'the owner' };
}

/**
 * Creates a service from this package's parts; `handled` lists the operations whose handlers ran, `logged` the log
 * entries.
 */
export function thingsService(options: ThingsOptions = {}): { app: Express; handled: string[]; logged: LogEntry[] } {
  const handled: string[] = [];
  const logged: LogEntry[] = [];
  const log = (level: string) => (message: string, fields?: Record<string, unknown>) => {
    logged.push({ level, message, fields });
    options.onLogged?.({ level, message, fields });
  };
  const logger: Logger = { error: log('error'), warn: log('warn'), info: log('info'), debug: log('debug') };

  const endpoints = Object.entries({ ...handlers, ...options.handlers }).map(([operationId, handle]) => ({
    operationId,
    access: 'owner' as const,
    handle: (input: Input) => {
      handled.push(operationId);
      return handle(input);
    },
  }));
  const app = express();
  app.use(requestContext(logger));
  mountEndpoints(app, {
    document: options.document ?? thingsDocument,
    endpoints: endpoints as unknown as Endpoint<Access, { caller: string }>[],
    authorize: options.authorize ?? letIn,
    validateResponses: options.validateResponses ?? true,
  });
  app.use(problemExit({ logger, ...(options.toProblem && { toProblem: options.toProblem }) }));
  return { app, handled, logged };
}

/** The path of a thing in some environment. */
export const thingPath = '/api/v1/environments/5f0d2a51-0f0e-4d0b-9a53-0f9a4c1f2b77/things/lamp';
