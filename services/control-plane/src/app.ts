import { controlPlaneDocument, Problem } from '@multi-drm/contracts';
import {
  type AnsweredRequest,
  apiDocumentation,
  bearerChallenge,
  type Logger,
  mountEndpoints,
  type OutboundClient,
  problemExit,
  requestContext,
  securityHeaders,
  trustProxies,
  warnOfUndeclaredProxy,
} from '@multi-drm/service-kit';
import express, { type Express, type RequestHandler } from 'express';
import { AccessStore } from './access/access-store';
import { Authentication } from './access/authenticate';
import { authorizeWith } from './access/authorize';
import { OidcAuthentication } from './access/oidc-authentication';
import { SignInAudit } from './access/sign-in-audit';
import { createAdmission } from './admission/create-admission';
import { isDatabaseUnavailable } from './database/database-unavailable';
import { limitListStatements } from './database/statement-limit';
import { allEndpoints, type EndpointsOptions } from './endpoints';
import { answerOncePublished, type Publication } from './publishing/answer-once-published';

interface AppOptions extends EndpointsOptions {
  publisher: EndpointsOptions['publisher'] & Publication;
  /** Fetches documents of identity providers. */
  issuerClient: OutboundClient;
  /** Minimum time after a fetch of an issuer's keys before an unknown key id triggers another one. */
  oidcCooldownMilliseconds?: number | undefined;
  logger: Logger;
  /** Called for each finished request. */
  onAnswered?: (request: AnsweredRequest) => void;
  /** Also validates responses against the OpenAPI document. For tests. */
  validateResponses: boolean;
}

/** `Retry-After` in seconds while the database is unavailable. */
const databaseRetrySeconds = 5;

/** The control plane's Express application. */
export function createApp(options: AppOptions): Express {
  const { settings, prisma, logger, now, validateResponses } = options;
  const accessStore = new AccessStore(prisma);
  const authentication = new Authentication({
    store: accessStore,
    operatorKeys: settings.OPERATOR_KEYS,
    oidc: new OidcAuthentication({
      issuers: settings.OIDC_ISSUERS,
      client: options.issuerClient,
      logger,
      now,
      cooldownMilliseconds: options.oidcCooldownMilliseconds,
    }),
    signIns: new SignInAudit({ store: accessStore, logger, now }),
    logger,
    now,
  });
  const admission = createAdmission(settings, now);
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag'); // ETags of this API are record versions
  trustProxies(app, settings.TRUSTED_PROXIES);
  app.use(securityHeaders());
  app.use(requestContext(logger, { onAnswered: options.onAnswered }));
  app.use(warnOfUndeclaredProxy(logger, settings.TRUSTED_PROXIES));
  app.use(noStore);
  app.use(apiDocumentation(controlPlaneDocument));
  mountEndpoints(app, {
    document: controlPlaneDocument,
    endpoints: allEndpoints(options).map((endpoint) =>
      admission.untilHandled(answerOncePublished(limitListStatements(endpoint), options.publisher)),
    ),
    authorize: authorizeWith({ authentication, store: accessStore, admission }),
    validateResponses,
  });
  app.use(
    problemExit({ logger, toProblem, challenge: (_problem, request) => bearerChallenge('control-plane', request) }),
  );
  return app;
}

/** Responses of this API must not be cached. */
const noStore: RequestHandler = (_request, response, next) => {
  response.set('Cache-Control', 'no-store');
  next();
};

function toProblem(error: unknown): Problem | undefined {
  if (!isDatabaseUnavailable(error)) return undefined;
  return new Problem('service_unavailable', 'The data store is currently unavailable.', {
    headers: { 'Retry-After': String(databaseRetrySeconds) },
    cause: error,
  });
}
