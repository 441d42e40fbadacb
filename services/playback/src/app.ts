import { Problem, playbackDocument } from '@multi-drm/contracts';
import {
  apiDocumentation,
  Bodies,
  bearerChallenge,
  type CompletedRequest,
  type Health,
  inOrder,
  isRedisFull,
  isRedisUnavailable,
  type Logger,
  mountEndpoints,
  problemExit,
  type RateLimiter,
  type RefusedCredentials,
  readOriginForm,
  requestContext,
  securityHeaders,
  type Turns,
  trustProxies,
  warnOfUndeclaredProxy,
} from '@multi-drm/service-kit';
import type { SlotStore } from '@multi-drm/slots';
import express, { type Express, type Request, type RequestHandler } from 'express';
import type { ClientUses } from './access/authenticate-api-client';
import { authorizeWith } from './access/authorize';
import { browserAccess } from './access/browser-access';
import { withHeaderPrefix } from './access/documented-headers';
import { KnownClients } from './access/known-clients';
import { playerBody } from './access/player-body';
import { takeTurn } from './access/take-turn';
import type { RereadingCatalog } from './catalog/catalog';
import type { LicenseParts } from './licenses/fetch-license';
import { refusedRecords } from './refused-records';
import { acquireLicense } from './routes/acquire-license';
import { createSession } from './routes/create-session';
import { evaluateSession } from './routes/evaluate-session';
import { getFairPlayCertificate } from './routes/get-fairplay-certificate';
import { getJsonWebKeySet } from './routes/get-json-web-key-set';
import { getLiveness } from './routes/get-liveness';
import { getReadiness } from './routes/get-readiness';
import { listSessions } from './routes/list-sessions';
import { releaseSession } from './routes/release-session';
import { renewSession } from './routes/renew-session';
import type { ReleaseParts } from './sessions/release-or-remember';
import type { CreationParts } from './sessions/session-creation';
import type { EvaluationParts } from './sessions/session-evaluation';
import type { RenewalParts } from './sessions/session-renewal';
import type { LicenseTokenSettings } from './tokens/license-token';

export interface AppParts {
  logger: Logger;
  /** Called for each request when its response is complete. */
  onCompleted?: (request: CompletedRequest) => void;
  health: Health;
  catalog: RereadingCatalog;
  apiClientUses: ClientUses;
  tokens: LicenseTokenSettings;
  sessions: CreationParts & RenewalParts & ReleaseParts & EvaluationParts & { slots: SlotStore };
  licenses: LicenseParts;
  apiClientLimiter: RateLimiter;
  refusedCredentials: RefusedCredentials;
  refusedTokenLimiter: RateLimiter;
  certificateLimiter: RateLimiter;
  turns: Turns;
  headerPrefix: string;
  /** Proxies whose X-Forwarded-For is trusted. */
  trustedProxies: string[];
  now: () => Date;
  /** For tests: also validates responses against the OpenAPI document. */
  validateResponses?: boolean;
}

/** Members of every problem document of this service. */
export const problemMembers = { contractVersion: 1 };

function toProblem(error: unknown): Problem | undefined {
  if (!isRedisUnavailable(error)) return undefined;
  const detail = isRedisFull(error)
    ? 'The data store of the service is full. No new sessions can start at the moment.'
    : 'The service cannot reach its data store at the moment.';
  return new Problem('service_unavailable', detail);
}

/** API clients authenticate with two custom headers; `ApiClient`, an unregistered scheme name, tells them which credential was refused. */
function challenge({ code }: Problem, request: Request): string {
  return code === 'client_authentication_failed' ? 'ApiClient realm="playback"' : bearerChallenge('playback', request);
}

/** Creates the playback service's application. */
export function createApp(parts: AppParts): Express {
  const { logger, health, catalog, tokens, sessions, licenses, headerPrefix, turns } = parts;
  const app = express();
  app.disable('etag').disable('x-powered-by');
  trustProxies(app, parts.trustedProxies);
  const knownClients = new KnownClients(headerPrefix);
  const bodies = new Bodies();
  app.use(
    inOrder([
      readOriginForm,
      requestContext(logger, { onCompleted: parts.onCompleted }),
      takeTurn(bodies, turns, knownClients),
      securityHeaders(),
      warnOfUndeclaredProxy(logger, parts.trustedProxies),
      storeNothing,
      browserAccess(catalog, headerPrefix),
      playerBody(bodies, headerPrefix),
    ]),
  );
  app.use(apiDocumentation(withHeaderPrefix(playbackDocument, headerPrefix)));
  mountEndpoints(app, {
    document: playbackDocument,
    endpoints: [
      getLiveness(health),
      getReadiness(health),
      getJsonWebKeySet(tokens.keys.jsonWebKeySet),
      createSession(sessions),
      renewSession(sessions),
      releaseSession(sessions),
      listSessions(sessions.slots),
      evaluateSession(sessions),
      acquireLicense(licenses, turns),
      getFairPlayCertificate(catalog),
    ].map((endpoint) => turns.untilHandled(endpoint)),
    authorize: authorizeWith({ ...parts, knownClients }),
    bodies,
    validateResponses: parts.validateResponses ?? false,
  });
  const logged = refusedRecords({ tokens, headerPrefix });
  app.use(problemExit({ logger, members: problemMembers, toProblem, challenge, refusedRecords: logged }));
  return app;
}

const storeNothing: RequestHandler = (_request, response, next) => {
  response.setHeader('Cache-Control', 'no-store');
  next();
};
