import type { Request, RequestHandler, Response } from 'express';
import type { Catalog } from '../catalog/catalog';

/** The routes that player code calls from other origins (`{siteId}` is the first group). */
const playerRoutes =
  /^\/api\/v1\/playback\/environments\/([^/]+)\/(?:licenses\/[^/]+|certificates\/fairplay|sessions\/[^/]+\/(?:release|renew))\/?$/;

const exposedHeaders = 'Retry-After, X-Request-Id';
const allowedHeaders = 'Authorization, Content-Type, SOAPAction';
// Browsers cut it to what they allow: Chromium to two hours.
const preflightLifetimeSeconds = 86_400;

/**
 * Lets browsers call the player's routes from the origins that the environment allows (Fetch standard, CORS protocol):
 * answers preflights and marks every answer, problems too. An environment that does not exist, or cannot be looked up,
 * is answered like one that allows any origin: origins are no access check, the license token is.
 */
export function browserAccess(catalog: Pick<Catalog, 'environment'>): RequestHandler {
  return async (request, response, next) => {
    const siteId = playerRoutes.exec(request.path)?.[1];
    if (siteId === undefined) {
      next();
      return;
    }
    response.vary('Origin');
    const origin = request.get('Origin');
    if (origin !== undefined) allow(response, origin, await allowedOrigins(catalog, siteId.toLowerCase()));
    if (isPreflight(request)) answerPreflight(response);
    else next();
  };
}

async function allowedOrigins(catalog: Pick<Catalog, 'environment'>, environmentId: string): Promise<string[]> {
  const environment = await catalog.environment(environmentId).catch(() => null);
  return environment?.settings.allowedOrigins ?? ['*'];
}

function allow(response: Response, origin: string, allowed: string[]): void {
  const value = allowed.includes('*') ? '*' : allowed.find((candidate) => candidate === origin);
  if (value === undefined) return;
  response.set('Access-Control-Allow-Origin', value);
  response.set('Access-Control-Expose-Headers', exposedHeaders);
  // Helmet's default would keep other origins from reading the answer.
  response.set('Cross-Origin-Resource-Policy', 'cross-origin');
}

function isPreflight(request: Request): boolean {
  return request.method === 'OPTIONS' && request.get('Access-Control-Request-Method') !== undefined;
}

function answerPreflight(response: Response): void {
  response.vary('Access-Control-Request-Method');
  response.vary('Access-Control-Request-Headers');
  if (response.get('Access-Control-Allow-Origin') !== undefined) {
    response.set('Access-Control-Allow-Methods', 'GET, POST');
    response.set('Access-Control-Allow-Headers', allowedHeaders);
    response.set('Access-Control-Max-Age', String(preflightLifetimeSeconds));
  }
  response.status(204).end();
}
