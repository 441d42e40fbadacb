import { type ApiClientDocument, type EnvironmentDocument, Problem } from '@multi-drm/contracts';
import {
  clientAddress,
  countedAddress,
  KnownCredentials,
  type RateLimiter,
  type RefusedCredentials,
  rateLimited,
  type Turns,
} from '@multi-drm/service-kit';
import type { Request, Response } from 'express';
import type { Catalog, RereadingCatalog } from '../catalog/catalog';
import { type LicenseTokenSettings, verifyLicenseToken } from '../tokens/license-token';
import type { Access, ApiClientPermission, Caller } from './access';
import { authenticateApiClient, type ClientCredentials, type ClientUses } from './authenticate-api-client';
import { type CredentialHeaders, credentialHeaders } from './credential-headers';

interface AuthorizeOptions {
  catalog: RereadingCatalog;
  apiClientUses: ClientUses;
  tokens: LicenseTokenSettings;
  /** `X-SERVICE`: the prefix of the two headers that carry an API client's credentials. */
  headerPrefix: string;
  now: () => Date;
  /** By client id. */
  apiClientLimiter: RateLimiter;
  /** By client id and address, of IPv6 its /64, of calls without an API client's valid credentials. */
  refusedCredentials: RefusedCredentials;
  /** By address, of calls without a valid license token. */
  refusedTokenLimiter: RateLimiter;
  /** By address, of calls of the certificate without a valid license token. */
  certificateLimiter: RateLimiter;
  turns: Turns;
}

/**
 * The environment, where the client may use it in this way. Throws `permission_denied`, or `environment_not_found`: an
 * environment that is not the client's does not exist for it.
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
    throw new Problem('environment_not_found', 'There is no such environment.');
  }
  return environment;
}

function bearerToken(request: Request): string {
  const token = /^Bearer +([A-Za-z0-9._~+/=-]+) *$/i.exec(request.get('Authorization') ?? '')?.[1];
  if (token === undefined) {
    throw new Problem('token_invalid', 'The Authorization header must carry the license token as Bearer.');
  }
  return token;
}

/** Counts a call. Throws the Problem `rate_limited` where the caller has none left. */
function takeCall(limiter: RateLimiter, caller: string): void {
  const retryAfterSeconds = limiter.take(caller);
  if (retryAfterSeconds !== undefined) throw rateLimited(retryAfterSeconds);
}

/** Throws `client_authentication_failed` with the name of each credential header that is missing. */
function requireHeaders(headers: CredentialHeaders, sent: Record<keyof CredentialHeaders, string | undefined>): void {
  const missing = (['clientId', 'accessKey'] as const).filter((name) => sent[name] === undefined);
  if (missing.length === 0) return;
  const [noun, verb] = missing.length === 1 ? ['header', 'is'] : ['headers', 'are'];
  const names = missing.map((name) => headers[name]).join(' and ');
  throw new Problem('client_authentication_failed', `The ${noun} ${names} ${verb} missing.`);
}

/** A call, and what it is answered by. */
interface Call {
  request: Request;
  response: Response;
}

const isUnauthenticated = (error: unknown): error is Problem => error instanceof Problem && error.status === 401;

const parameter = (request: Request, name: string): string => String(request.params[name] ?? '');

/** Whether a request carries what looks like an API client's credentials. */
export function namesApiClient(request: Request, headerPrefix: string): boolean {
  return request.get(credentialHeaders(headerPrefix).clientId) !== undefined;
}

/** The access check of every operation. */
export function authorizeWith(options: AuthorizeOptions) {
  const { catalog, apiClientUses, tokens, headerPrefix, now, apiClientLimiter, refusedCredentials, turns } = options;
  const knownCredentials = new KnownCredentials<{ clientId: string }>();
  const addressOf = (request: Request) => countedAddress(clientAddress(request));

  const licenseToken = (request: Request): Extract<Caller, { kind: 'license-token' }> => {
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
   * Asks what is left before it looks up credentials that it has not seen to be valid. Those that it has seen are looked up
   * in any case: nobody who calls already is refused for what others do behind the same address.
   */
  const authenticate = async (request: Request, credentials: ClientCredentials): Promise<ApiClientDocument> => {
    const { clientId = '', accessKey = '' } = credentials;
    const pair = `${clientId} ${accessKey}`;
    if (knownCredentials.ownerOf(pair) === undefined) refusedCredentials.requireLeft(clientId, addressOf(request));
    try {
      const client = await catalog.rereadBeforeRefusal((present) =>
        authenticateApiClient(present, credentials, now, apiClientUses),
      );
      knownCredentials.remember(pair, { clientId: client.clientId });
      return client;
    } catch (error) {
      if (isUnauthenticated(error)) knownCredentials.forget(pair);
      throw error;
    }
  };

  const apiClient = async (
    { request, response }: Call,
    permissions: readonly ApiClientPermission[],
    limited: boolean,
  ): Promise<Caller> => {
    const headers = credentialHeaders(headerPrefix);
    const credentials = { clientId: request.get(headers.clientId), accessKey: request.get(headers.accessKey) };
    requireHeaders(headers, credentials);
    const client = await authenticate(request, credentials);
    await turns.enter(`organization ${client.organizationId}`, response);
    // In no attempt: each would take a call.
    if (limited) takeCall(apiClientLimiter, client.clientId);
    const environment = await catalog.rereadBeforeRefusal((present) =>
      environmentFor(present, client.clientId, permissions, parameter(request, 'siteId')),
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

  const tokenHolder = async ({ request, response }: Call): Promise<Caller> => {
    const caller = licenseToken(request);
    // Its organization would have to be looked up, which a release is not to wait for.
    await turns.enter(`environment ${caller.token.environmentId}`, response);
    return caller;
  };

  const callerFor = async (access: Exclude<Access, 'public'>, call: Call): Promise<Caller> => {
    const { request } = call;
    if (access === 'license-token') return tokenHolder(call);
    if (access === 'public-by-address') {
      if (!holdsLicenseToken(request)) takeCall(options.certificateLimiter, addressOf(request));
      return { kind: 'public' };
    }
    if ('apiClient' in access) return apiClient(call, access.apiClient, true);
    const { licenseTokenOrApiClient: permission } = access;
    if (request.get('Authorization') !== undefined) return tokenHolder(call);
    if (namesApiClient(request, headerPrefix)) return apiClient(call, [permission], access.countsCalls);
    const { clientId, accessKey } = credentialHeaders(headerPrefix);
    throw new Problem(
      'token_invalid',
      `The call must carry the license token as Authorization: Bearer, or an API client's ${clientId} and ${accessKey}.`,
    );
  };

  return async (access: Access, request: Request, response: Response): Promise<Caller> => {
    if (access === 'public') return { kind: 'public' };
    try {
      return await callerFor(access, { request, response });
    } catch (error) {
      // Whoever has a valid credential is never counted here.
      if (isUnauthenticated(error)) countRefusal(error, request);
      throw error;
    }
  };
}
