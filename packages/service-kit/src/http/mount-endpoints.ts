import type { Express } from 'express';
import { expressPath, refuseUnknownRoutes } from './document-validator';
import { endpointRoutes, type MountOptions } from './endpoint-routes';
import { routeNotFound, validationProblems } from './validation';

/**
 * Mounts one route for each operation of the document; see `endpointRoutes`. HEAD is answered wherever GET is, by the
 * same handlers (RFC 9110, section 9.3.2).
 */
export function mountEndpoints<Access, Context>(app: Express, options: MountOptions<Access, Context>): void {
  const { document } = options;
  for (const { method, path, handlers } of endpointRoutes(options)) app[method](expressPath(path), ...handlers);

  // Everything else ends here with the validator's 404 or 405, except `OPTIONS *`, which it lets through.
  app.use(refuseUnknownRoutes(document), () => {
    throw routeNotFound();
  });
  app.use(validationProblems(document));
}
