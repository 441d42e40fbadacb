import type { Request, RequestHandler } from 'express';
import helmet from 'helmet';

/**
 * Helmet's headers. Over plain http without the two that send a browser to https: `upgrade-insecure-requests`, which would
 * leave a page such as `/docs` without its files, and `Strict-Transport-Security`, which belongs to https alone (RFC 6797,
 * section 7.2).
 */
export function securityHeaders(): RequestHandler {
  const overTls = helmet();
  const overPlainHttp = helmet({
    strictTransportSecurity: false,
    contentSecurityPolicy: { directives: { upgradeInsecureRequests: null } },
  });
  return (request, response, next) => (isOverTls(request) ? overTls : overPlainHttp)(request, response, next);
}

/** Any proxy is believed here: whoever makes up this header makes its own answer stricter. */
function isOverTls(request: Request): boolean {
  return request.secure || /^https\b/i.test(request.get('X-Forwarded-Proto') ?? '');
}
