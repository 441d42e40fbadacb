import { controlPlaneDocument } from '@multi-drm/contracts';
import {
  apiDocumentation,
  bearerChallenge,
  type CompletedRequest,
  isUuid,
  mountEndpoints,
  problemExit,
  type RequestContext,
  readOriginForm,
  requestContext,
  routeNotFound,
  securityHeaders,
  trustProxies,
  warnOfUndeclaredProxy,
} from '@multi-drm/service-kit';
import express, { type Express, type RequestHandler } from 'express';
import { type AccessOptions, createAuthorize } from './access/create-authorize';
import { createAdmission } from './admission/create-admission';
import { databaseProblem } from './database/database-unavailable';
import { limitListStatements } from './database/statement-limit';
import { allEndpoints, type EndpointsOptions } from './endpoints';
import type { Settings } from './settings';

interface AppOptions extends EndpointsOptions, AccessOptions {
  settings: Settings;
  /** Called for each finished request. */
  onCompleted?: (request: CompletedRequest) => void;
  /** Also validates responses against the OpenAPI document. For tests. */
  validateResponses: boolean;
}

/** The control plane's Express application. */
export function createApp(options: AppOptions): Express {
  const { settings, database, logger, now, onCompleted, validateResponses } = options;
  const admission = createAdmission(settings, now);
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag'); // ETags of this API are record versions
  trustProxies(app, settings.TRUSTED_PROXIES);
  app.use(readOriginForm);
  app.use(securityHeaders());
  app.use(requestContext(logger, { onCompleted }));
  app.use(warnOfUndeclaredProxy(logger, settings.TRUSTED_PROXIES));
  app.use(noStore);
  if (!settings.CONTROL_PLANE_TASKS.includes('api')) app.use(onlyHealth);
  app.use(apiDocumentation(controlPlaneDocument));
  mountEndpoints(app, {
    document: controlPlaneDocument,
    endpoints: allEndpoints(options).map((endpoint) => admission.untilHandled(limitListStatements(endpoint))),
    authorize: createAuthorize(options, database, admission),
    validateResponses,
  });
  app.use(
    problemExit({
      logger,
      toProblem: databaseProblem,
      challenge: (_problem, request) => bearerChallenge('control-plane', request),
      refusedRecords: (_request, context) => namedRecords(context),
    }),
  );
  return app;
}

/** The records that a path names, by their ids. */
function namedRecords({ params = {} }: RequestContext): Record<string, string> {
  const ids = Object.entries(params).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string' && isUuid(entry[1]),
  );
  return Object.fromEntries(ids);
}

/** A process with other tasks has no routes but those of its health. */
const onlyHealth: RequestHandler = (request, _response, next) => {
  if (request.path.startsWith('/api/v1/health/')) next();
  else throw routeNotFound();
};

/** Responses of this API must not be cached. */
const noStore: RequestHandler = (_request, response, next) => {
  response.set('Cache-Control', 'no-store');
  next();
};
