import type { RequestHandler } from 'express';
import type { Logger } from '../logger';

/**
 * Warns, once, where calls come over a proxy and none is trusted: everybody behind it counts as the proxy's one address,
 * and one of them can use up the limits of all.
 */
export function warnOfUndeclaredProxy(logger: Logger, trustedProxies: readonly string[]): RequestHandler {
  let silent = trustedProxies.length > 0;
  return (request, _response, next) => {
    if (!silent && (request.get('X-Forwarded-For') ?? request.get('Forwarded')) !== undefined) {
      silent = true;
      logger.warn(
        'calls come over a proxy that is not trusted: all callers behind it are limited as one; set TRUSTED_PROXIES',
      );
    }
    next();
  };
}
