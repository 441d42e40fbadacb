import type { Express } from 'express';
import { dispatch } from './dispatch';
import { refuseUnknownRoutes } from './document-validator';
import { endpointRoutes, type MountOptions } from './endpoint-routes';
import { routeNotFound, validationProblems } from './validation';

/** Serves each operation of the document by its endpoint; see `endpointRoutes` and `dispatch`. */
export function mountEndpoints<Access, Context>(app: Express, options: MountOptions<Access, Context>): void {
  const { document } = options;
  app.use(dispatch(endpointRoutes(options)));

  // Everything else ends here with the validator's 404 or 405, except `OPTIONS *`, which it lets through.
  app.use(refuseUnknownRoutes(document), () => {
    throw routeNotFound();
  });
  app.use(validationProblems(document));
}
