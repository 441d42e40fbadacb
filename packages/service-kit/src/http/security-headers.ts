import { IncomingMessage, type OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { Request, RequestHandler } from 'express';
import helmet from 'helmet';

/**
 * Sets Helmet's headers. Over plain http it omits the two that send browsers to https: `upgrade-insecure-requests`,
 * which would prevent pages such as `/docs` from loading their files, and `Strict-Transport-Security`, which only
 * applies to https (RFC 6797, section 7.2). Helmet's headers are the same for every request, so Helmet itself, a chain of
 * thirteen functions, runs only once.
 */
export function securityHeaders(): RequestHandler {
  const overTls = headersSetBy(helmet());
  const overPlainHttp = headersSetBy(
    helmet({
      strictTransportSecurity: false,
      contentSecurityPolicy: { directives: { upgradeInsecureRequests: null } },
    }),
  );
  return (request, response, next) => {
    response.removeHeader('X-Powered-By'); // as Helmet does
    for (const [name, value] of isOverTls(request) ? overTls : overPlainHttp) response.setHeader(name, value);
    next();
  };
}

type Header = [name: string, value: NonNullable<OutgoingHttpHeaders[string]>];

/** Returns the headers that a middleware sets without looking at the request. */
function headersSetBy(
  middleware: (request: IncomingMessage, response: ServerResponse, next: () => void) => void,
): Header[] {
  const request = new IncomingMessage(new Socket());
  const response = new ServerResponse(request);
  middleware(request, response, () => undefined);
  return response.getHeaderNames().map((name) => [name, response.getHeader(name) ?? '']);
}

/**
 * Trusts this header from anybody: a forged one only makes the forger's own response stricter. Not by Express' `request.secure`, which
 * first looks for the trusted proxies.
 */
function isOverTls({ headers, socket }: Request): boolean {
  const forwarded = headers['x-forwarded-proto'];
  return socket instanceof TLSSocket || (forwarded !== undefined && /^https\b/i.test(String(forwarded)));
}
