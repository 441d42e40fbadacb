import type { OpenApiDocument } from '@multi-drm/contracts';
import express, { Router } from 'express';
// Not the package's main file, which also loads the whole of Swagger UI.
import swaggerUiFolder from 'swagger-ui-dist/absolute-path.js';

// Swagger UI's own page loads this file; it says which document to show.
const initializer = `window.onload = () => {
  window.ui = SwaggerUIBundle({
    url: '/openapi.json',
    dom_id: '#swagger-ui',
    presets: [SwaggerUIBundle.presets.apis, SwaggerUIStandalonePreset],
    layout: 'StandaloneLayout',
  });
};
`;

/** `/openapi.json`, and `/docs`, which shows it in a browser with files of this service alone; `/` leads there. */
export function apiDocumentation(document: OpenApiDocument): Router {
  const router = Router();
  router.get('/', (_request, response) => {
    response.redirect('/docs/');
  });
  router.get('/openapi.json', (_request, response) => {
    response.json(document);
  });
  router.get('/docs/swagger-initializer.js', (_request, response) => {
    response.type('text/javascript').send(initializer);
  });
  router.use('/docs', express.static(swaggerUiFolder(), { index: 'index.html', cacheControl: false, etag: false }));
  return router;
}
