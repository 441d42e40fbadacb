import type { RequestHandler } from 'express';

const absoluteForm = /^https?:\/\/[^/?#]*/i;

/**
 * Returns a request target in origin form: its path and query. A server must also accept the absolute form, which clients send to
 * proxies and which some proxies pass on (RFC 9112, section 3.2.2). Other forms stay as they are.
 */
export function originForm(target: string): string {
  if (target.startsWith('/')) return target;
  const rest = target.replace(absoluteForm, '');
  return rest === target || rest.startsWith('/') ? rest : `/${rest}`;
}

/** Rewrites the target of a request to origin form, so that everything after it knows only paths. */
export const readOriginForm: RequestHandler = (request, _response, next) => {
  const path = originForm(request.url);
  if (path !== request.url) {
    request.url = path;
    request.originalUrl = path;
  }
  next();
};
