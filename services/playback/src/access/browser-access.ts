import { isUuid } from '@multi-drm/service-kit';
import type { Request, RequestHandler, Response } from 'express';
import type { Catalog, RereadingCatalog } from '../catalog/catalog';
import { credentialHeaders } from './credential-headers';
import { playerRouteOf } from './player-routes';

const exposedHeaders = 'Retry-After, X-Request-Id';
/** The headers that players need. They are always allowed; other headers are allowed on request. */
const neededHeaders = ['Authorization', 'Content-Type', 'SOAPAction'];
const headerName = /^[\w!#$%&'*+.^`|~-]+$/; // RFC 9110, section 5.6.2
// Browsers cap it; Chromium at two hours.
const preflightLifetimeSeconds = 86_400;

/**
 * Lets browsers call the player routes from the origins that the environment allows (Fetch standard, CORS protocol): answers
 * preflights and adds the CORS headers to every response, including problems. An environment that does not exist, or cannot be
 * looked up, is treated like one that allows any origin: the access check is the license token, not the origin. A page may send
 * any header except an API client's credentials, since players and libraries add their own headers and no cookies are used.
 */
export function browserAccess(catalog: RereadingCatalog, headerPrefix: string): RequestHandler {
  const forbidden = Object.values(credentialHeaders(headerPrefix)).map((name) => name.toLowerCase());
  return async (request, response, next) => {
    const route = playerRouteOf(request.path);
    if (route === undefined) {
      next();
      return;
    }
    response.vary('Origin');
    const origin = request.get('Origin');
    if (origin !== undefined) allow(response, await allowedOrigin(catalog, route.siteId.toLowerCase(), origin));
    if (isPreflight(request)) answerPreflight(response, allowedHeaders(request, forbidden));
    else next();
  };
}

/** The headers that a page may send. They are listed because `*` does not include Authorization (Fetch standard). */
function allowedHeaders(request: Request, forbidden: string[]): string[] {
  const asked = (request.get('Access-Control-Request-Headers') ?? '').split(',').map((name) => name.trim());
  // `*` is a valid header name, but in the response it would allow every header (Fetch standard, CORS-preflight fetch).
  const known = ['*', ...forbidden, ...neededHeaders.map((name) => name.toLowerCase())];
  const others = asked.filter((name) => headerName.test(name) && !known.includes(name.toLowerCase()));
  return [...neededHeaders, ...new Set(others)];
}

/**
 * The value of Access-Control-Allow-Origin: `*`, the origin, or undefined if it is not allowed. If the lookup fails, the value that was
 * last read is used, or `*` if there is none.
 */
async function allowedOrigin(
  catalog: RereadingCatalog,
  environmentId: string,
  origin: string,
): Promise<string | undefined> {
  let allowed: string | undefined = '*';
  // No environment can have such an id, so nothing is read or remembered.
  if (!isUuid(environmentId)) return allowed;
  const lookUp = async (current: Pick<Catalog, 'environment'>) => {
    const origins = (await current.environment(environmentId))?.settings.allowedOrigins ?? ['*'];
    allowed = origins.includes('*') ? '*' : origins.find((candidate) => candidate === origin);
    return allowed;
  };
  return catalog.rereadBeforeRefusal(lookUp, (value) => value === undefined).catch(() => allowed);
}

function allow(response: Response, value: string | undefined): void {
  if (value === undefined) return;
  response.set('Access-Control-Allow-Origin', value);
  response.set('Access-Control-Expose-Headers', exposedHeaders);
  // Helmet's default prevents other origins from reading the response.
  response.set('Cross-Origin-Resource-Policy', 'cross-origin');
}

function isPreflight(request: Request): boolean {
  return request.method === 'OPTIONS' && request.get('Access-Control-Request-Method') !== undefined;
}

function answerPreflight(response: Response, headers: string[]): void {
  response.vary('Access-Control-Request-Method');
  response.vary('Access-Control-Request-Headers');
  if (response.get('Access-Control-Allow-Origin') !== undefined) {
    response.set('Access-Control-Allow-Methods', 'GET, POST');
    response.set('Access-Control-Allow-Headers', headers.join(', '));
    response.set('Access-Control-Max-Age', String(preflightLifetimeSeconds));
  }
  response.status(204).end();
}
