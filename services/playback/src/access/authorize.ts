import { type ApiClientDocument, type EnvironmentDocument, Problem } from '@multi-drm/contracts';
import {
  clientAddress,
  countedAddress,
  type RateLimiter,
  type RefusedCredentials,
  rateLimited,
} from '@multi-drm/service-kit';
import type { Request } from 'express';
import type { Catalog, RereadingCatalog } from '../catalog/catalog';
import { type LicenseTokenSettings, verifyLicenseToken } from '../tokens/license-token';
import type { Access, ApiClientPermission, Caller } from './access';
import { authenticateApiClient, type ClientCredentials, type ClientUses } from './authenticate-api-client';
import { type CredentialHeaders, credentialHeaders } from './credential-headers';
import type { KnownClients } from './known-clients';

interface AuthorizeOptions {
  catalog: RereadingCatalog;
  apiClientUses: ClientUses;
  tokens: LicenseTokenSettings;
  /** `X-SERVICE`: the prefix of the two headers that carry an API client's credentials. */
  headerPrefix: string;
  now: () => Date;
  /** Limits the calls of each API client, by client id. */
  apiClientLimiter: RateLimiter;
  /** Limits calls without valid API client credentials, by client id and by address (IPv6: its /64). */
  refusedCredentials: RefusedCredentials;
  /** Limits calls without a valid license token, by address. */
  refusedTokenLimiter: RateLimiter;
  /** Limits certificate requests without a valid license token, by address. */
  certificateLimiter: RateLimiter;
  knownClients: KnownClients;
}

/**
 * Returns the environment if the client may access it with one of the permissions. Throws `permission_denied` otherwise, or
 * `environment_not_found`: a client cannot tell another tenant's environment from one that does not exist.
 */
async function environmentFor(
  catalog: Catalog,
  clientId: string,
  permissions: readonly ApiClientPermission[],
  siteId: string,
): Promise<EnvironmentDocument> {
  const client = await catalog.apiClient(clientId);
  if (!permissions.some((permission) => client?.permissions.includes(permission))) {
    throw new Problem('permission_denied', `The API client does not hold ${permissions.join(' or ')}.`);
  }
  const environment = await catalog.environment(siteId.toLowerCase());
  const within = client?.environmentIds?.includes(siteId.toLowerCase()) ?? true;
  if (environment === null || environment.projectId !== client?.projectId || !within) {
    throw new Problem('environment_not_found', 'The environment does not exist.');
  }
  return environment;
}

function bearerToken(request: Request): string {
  const token = /^Bearer +([A-Za-z0-9._~+/=-]+) *$/i.exec(request.get('Authorization') ?? '')?.[1];
  if (token === undefined) {
    throw new Problem('token_invalid', 'The Authorization header must be Bearer followed by the license token.');
  }
  return token;
}

/** Counts a call. Throws the problem `rate_limited` if the caller has reached its limit. */
function takeCall(limiter: RateLimiter, caller: string): void {
  const retryAfterSeconds = limiter.take(caller);
  if (retryAfterSeconds !== undefined) throw rateLimited(retryAfterSeconds);
}

/** Throws `client_authentication_failed`, naming each missing credential header. */
function requireHeaders(headers: CredentialHeaders, sent: Record<keyof CredentialHeaders, string | undefined>): void {
  const missing = (['clientId', 'accessKey'] as const).filter((name) => sent[name] === undefined);
  if (missing.length === 0) return;
  const [noun, verb] = missing.length === 1 ? ['header', 'is'] : ['headers', 'are'];
  const names = missing.map((name) => headers[name]).join(' and ');
  throw new Problem('client_authentication_failed', `The ${noun} ${names} ${verb} missing.`);
}

const isUnauthenticated = (error: unknown): error is Problem => error instanceof Problem && error.status === 401;

const parameter = (request: Request, name: string): string => String(request.params[name] ?? '');

/** Whether the request names an API client, whether or not its credentials are valid. */
export function namesApiClient(request: Request, headerPrefix: string): boolean {
  return request.get(credentialHeaders(headerPrefix).clientId) !== undefined;
}

/** Creates the access check that runs before every operation. */
export function authorizeWith(options: AuthorizeOptions) {
  const { catalog, apiClientUses, tokens, headerPrefix, now, apiClientLimiter, refusedCredentials, knownClients } =
    options;
  const addressOf = (request: Request) => countedAddress(clientAddress(request));

  const licenseToken = (request: Request): Caller => {
    const { sessionId, drmSystem } = request.params;
    const use = {
      environmentId: parameter(request, 'siteId').toLowerCase(),
      ...(typeof sessionId === 'string' ? { sessionId } : {}),
      ...(typeof drmSystem === 'string' ? { drmSystem } : {}),
    };
    return { kind: 'license-token', token: verifyLicenseToken(tokens, bearerToken(request), use) };
  };

  const holdsLicenseToken = (request: Request): boolean => {
    try {
      return licenseToken(request).kind === 'license-token';
    } catch (error) {
      if (isUnauthenticated(error)) return false;
      throw error;
    }
  };

  /**
   * Checks the limits before it looks up credentials, unless they were valid before. So a known client is not refused because of others
   * behind the same address.
   */
  const authenticate = async (request: Request, credentials: ClientCredentials): Promise<ApiClientDocument> => {
    const isKnown = knownClients.organizationOf(request) !== undefined;
    if (!isKnown) refusedCredentials.requireLeft(credentials.clientId ?? '', addressOf(request));
    try {
      const client = await catalog.rereadBeforeRefusal((current) =>
        authenticateApiClient(current, credentials, now, apiClientUses),
      );
      if (!isKnown) knownClients.remember(request, client.organizationId);
      return client;
    } catch (error) {
      if (isUnauthenticated(error)) knownClients.forget(request);
      throw error;
    }
  };

  const apiClient = async (
    request: Request,
    permissions: readonly ApiClientPermission[],
    limited: boolean,
  ): Promise<Caller> => {
    const headers = credentialHeaders(headerPrefix);
    const credentials = { clientId: request.get(headers.clientId), accessKey: request.get(headers.accessKey) };
    requireHeaders(headers, credentials);
    const client = await authenticate(request, credentials);
    // Not counted inside the reread below, where each attempt would count as a call.
    if (limited) takeCall(apiClientLimiter, client.clientId);
    const environment = await catalog.rereadBeforeRefusal((current) =>
      environmentFor(current, client.clientId, permissions, parameter(request, 'siteId')),
    );
    return { kind: 'api-client', client, environment };
  };

  const countRefusal = ({ code }: Problem, request: Request): void => {
    if (code === 'client_authentication_failed') {
      refusedCredentials.count(request.get(credentialHeaders(headerPrefix).clientId) ?? '', addressOf(request));
    } else {
      takeCall(options.refusedTokenLimiter, addressOf(request));
    }
  };

  const callerFor = async (access: Exclude<Access, 'public'>, request: Request): Promise<Caller> => {
    if (access === 'license-token') return licenseToken(request);
    if (access === 'public-by-address') {
      if (!holdsLicenseToken(request)) takeCall(options.certificateLimiter, addressOf(request));
      return { kind: 'public' };
    }
    if ('apiClient' in access) return apiClient(request, access.apiClient, true);
    const { licenseTokenOrApiClient: permission } = access;
    if (request.get('Authorization') !== undefined) return licenseToken(request);
    if (namesApiClient(request, headerPrefix)) return apiClient(request, [permission], access.countsCalls);
    const { clientId, accessKey } = credentialHeaders(headerPrefix);
    throw new Problem(
      'token_invalid',
      `Send the license token as Authorization: Bearer, or an API client’s credentials as ${clientId} and ${accessKey}.`,
    );
  };

  return async (access: Access, request: Request): Promise<Caller> => {
    if (access === 'public') return { kind: 'public' };
    try {
      return await callerFor(access, request);
    } catch (error) {
      // Only requests without valid credentials are counted here.
      if (isUnauthenticated(error)) countRefusal(error, request);
      throw error;
    }
  };
}
