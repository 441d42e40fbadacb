import type { Request, RequestHandler } from 'express';
import helmet from 'helmet';

/**
 * Sets Helmet's headers. Over plain http it omits the two that send browsers to https: `upgrade-insecure-requests`,
 * which would prevent pages such as `/docs` from loading their files, and `Strict-Transport-Security`, which only
 * applies to https (RFC 6797, section 7.2).
 */
export function securityHeaders(): RequestHandler {
  const overTls = helmet();
  const overPlainHttp = helmet({
    strictTransportSecurity: false,
    contentSecurityPolicy: { directives: { upgradeInsecureRequests: null } },
  });
  return (request, response, next) => (isOverTls(request) ? overTls : overPlainHttp)(request, response, next);
}

/** Trusts this header from anybody: a forged one only makes the forger's own response stricter. */
function isOverTls(request: Request): boolean {
  return request.secure || /^https\b/i.test(request.get('X-Forwarded-Proto') ?? '');
}
