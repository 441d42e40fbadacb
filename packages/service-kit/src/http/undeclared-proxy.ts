import type { RequestHandler } from 'express';
import type { Logger } from '../logger';

/**
 * Warns once if requests come through a proxy and none is trusted. All clients behind it then count as the proxy's
 * address, so one of them can use up the rate limits of all.
 */
export function warnOfUndeclaredProxy(logger: Logger, trustedProxies: readonly string[]): RequestHandler {
  let silent = trustedProxies.length > 0;
  return (request, _response, next) => {
    if (!silent && (request.headers['x-forwarded-for'] ?? request.headers.forwarded) !== undefined) {
      silent = true;
      logger.warn(
        'requests come through a proxy that is not trusted: all clients behind it share one rate limit; set TRUSTED_PROXIES',
      );
    }
    next();
  };
}
