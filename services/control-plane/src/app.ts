import { controlPlaneDocument, Problem } from '@multi-drm/contracts';
import { type Health, type Logger, mountEndpoints, problemExit, requestContext } from '@multi-drm/service-kit';
import express, { type Express, type RequestHandler } from 'express';
import helmet from 'helmet';
import { AccessStore } from './access/access-store';
import { Authentication } from './access/authenticate';
import { authorizeWith } from './access/authorize';
import type { RandomBytes } from './access/keys';
import { isDatabaseUnavailable } from './database/database-unavailable';
import { ApiClientService } from './features/api-clients/api-client-service';
import { ApiClientStore } from './features/api-clients/api-client-store';
import { createApiClient } from './features/api-clients/create-api-client';
import { ContentService } from './features/content/content-service';
import { ContentStore } from './features/content/content-store';
import { createContentAsset } from './features/content/create-content-asset';
import { listContentAssets } from './features/content/list-content-assets';
import { publishContentAsset } from './features/content/publish-content-asset';
import { EnvironmentService } from './features/environments/environment-service';
import { EnvironmentStore } from './features/environments/environment-store';
import { getEnvironment } from './features/environments/get-environment';
import { listEnvironments } from './features/environments/list-environments';
import { updateEnvironment } from './features/environments/update-environment';
import { getLiveness } from './features/health/get-liveness';
import { getReadiness } from './features/health/get-readiness';
import { createProject } from './features/projects/create-project';
import { listProjects } from './features/projects/list-projects';
import { ProjectService } from './features/projects/project-service';
import { ProjectStore } from './features/projects/project-store';
import { registerCompany } from './features/registrations/register-company';
import { RegistrationService } from './features/registrations/registration-service';
import { RegistrationStore } from './features/registrations/registration-store';
import type { PrismaClient } from './generated/prisma/client';
import type { Settings } from './settings';

interface AppOptions {
  settings: Pick<Settings, 'OPERATOR_KEYS' | 'REGISTRATION' | 'SERVICE_AGREEMENT_VERSION' | 'SERVICE_AGREEMENT_URL'>;
  prisma: PrismaClient;
  /** Told after each change, so that playback learns of it at once. */
  publisher: { wake(): void };
  health: Health;
  logger: Logger;
  now: () => Date;
  randomBytes: RandomBytes;
  /** Holds answers against the OpenAPI document, too. For tests. */
  validateResponses: boolean;
}

/** Seconds until a request that found the database out of reach is worth another try. */
const databaseRetrySeconds = 5;

/** The control plane's Express application. */
export function createApp(options: AppOptions): Express {
  const { prisma, logger, now, validateResponses } = options;
  const accessStore = new AccessStore(prisma);
  const authentication = new Authentication({
    store: accessStore,
    operatorKeys: options.settings.OPERATOR_KEYS,
    logger,
    now,
  });
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag'); // the ETags of this API are versions of records
  app.use(helmet());
  app.use(requestContext(logger));
  app.use(noStore);
  mountEndpoints(app, {
    document: controlPlaneDocument,
    endpoints: allEndpoints(options),
    authorize: authorizeWith(authentication, accessStore),
    validateResponses,
  });
  app.use(problemExit({ logger, toProblem }));
  return app;
}

/** Every operation of the document, on its service and store. */
function allEndpoints({ settings, prisma, publisher, health, now, randomBytes }: AppOptions) {
  const registrations = new RegistrationService({
    store: new RegistrationStore(prisma),
    state: settings.REGISTRATION,
    agreement: { version: settings.SERVICE_AGREEMENT_VERSION, url: settings.SERVICE_AGREEMENT_URL },
    publisher,
    now,
    randomBytes,
  });
  const projects = new ProjectService({ store: new ProjectStore(prisma), publisher, now });
  const environments = new EnvironmentService({ store: new EnvironmentStore(prisma), publisher, now });
  const content = new ContentService({ store: new ContentStore(prisma), publisher, now });
  const apiClients = new ApiClientService({ store: new ApiClientStore(prisma), publisher, now, randomBytes });
  return [
    getLiveness(health),
    getReadiness(health),
    registerCompany(registrations),
    listProjects(projects),
    createProject(projects),
    listEnvironments(environments),
    getEnvironment(environments),
    updateEnvironment(environments),
    listContentAssets(content),
    createContentAsset(content),
    publishContentAsset(content),
    createApiClient(apiClients),
  ];
}

/** Nothing that this API answers belongs in a cache. */
const noStore: RequestHandler = (_request, response, next) => {
  response.set('Cache-Control', 'no-store');
  next();
};

function toProblem(error: unknown): Problem | undefined {
  if (!isDatabaseUnavailable(error)) return undefined;
  return new Problem('service_unavailable', 'The data store is out of reach for now.', {
    headers: { 'Retry-After': String(databaseRetrySeconds) },
    cause: error,
  });
}
