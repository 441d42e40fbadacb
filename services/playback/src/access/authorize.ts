import { type ApiClientDocument, type EnvironmentDocument, Problem } from '@multi-drm/contracts';
import type { Request } from 'express';
import type { Catalog } from '../catalog/catalog';
import { type LicenseTokenSettings, verifyLicenseToken } from '../tokens/license-token';
import type { Access, Caller } from './access';
import { authenticateApiClient, type ClientUses } from './authenticate-api-client';

interface AuthorizeOptions {
  catalog: Catalog;
  apiClientUses: ClientUses;
  tokens: LicenseTokenSettings;
  /** `X-SERVICE`: the prefix of the two headers that carry an API client's credentials. */
  headerPrefix: string;
  now: () => Date;
}

/** An environment that the client may use; any other one does not exist for it. */
async function environmentFor(
  catalog: Catalog,
  client: ApiClientDocument,
  siteId: string,
): Promise<EnvironmentDocument> {
  const environment = await catalog.environment(siteId.toLowerCase());
  const within = client.environmentIds?.includes(siteId.toLowerCase()) ?? true;
  if (environment === null || environment.projectId !== client.projectId || !within) {
    throw new Problem('environment_not_found', 'There is no such environment.');
  }
  return environment;
}

function bearerToken(request: Request): string {
  const token = /^Bearer +([A-Za-z0-9._~+/=-]+) *$/i.exec(request.get('Authorization') ?? '')?.[1];
  if (token === undefined) {
    throw new Problem('token_invalid', 'The Authorization header must carry the license token as Bearer.', {
      headers: { 'WWW-Authenticate': 'Bearer' },
    });
  }
  return token;
}

const parameter = (request: Request, name: string): string => String(request.params[name] ?? '');

/** The access check of every operation. */
export function authorizeWith({ catalog, apiClientUses, tokens, headerPrefix, now }: AuthorizeOptions) {
  return async (access: Access, request: Request): Promise<Caller> => {
    if (access === 'public') return { kind: 'public' };
    if (access === 'license-token') {
      const use = {
        environmentId: parameter(request, 'siteId').toLowerCase(),
        sessionId: parameter(request, 'sessionId'),
        ignoreTimes: true,
      };
      return { kind: 'license-token', token: verifyLicenseToken(tokens, bearerToken(request), use, now()) };
    }
    const credentials = {
      clientId: request.get(`${headerPrefix}-Client-Id`),
      accessKey: request.get(`${headerPrefix}-Client-Secret`),
    };
    const client = await authenticateApiClient(catalog, credentials, now, apiClientUses);
    if (!client.permissions.includes(access.apiClient)) {
      throw new Problem('permission_denied', `The API client does not hold ${access.apiClient}.`);
    }
    return {
      kind: 'api-client',
      client,
      environment: await environmentFor(catalog, client, parameter(request, 'siteId')),
    };
  };
}
