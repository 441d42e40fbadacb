import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OpenApiDocument } from '@multi-drm/contracts';
import { type RequestHandler, Router } from 'express';
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

/** The page, and the files that it loads. */
const files = [
  'index.html',
  'index.css',
  'swagger-ui.css',
  'swagger-ui-bundle.js',
  'swagger-ui-standalone-preset.js',
  'favicon-16x16.png',
  'favicon-32x32.png',
];

/** `/openapi.json`, and `/docs`, which shows it in a browser with files of this service alone; `/` leads there. */
export function apiDocumentation(document: OpenApiDocument): Router {
  const router = Router({ strict: true });
  router.get(['/', '/docs'], (_request, response) => {
    response.redirect('/docs/');
  });
  router.get('/openapi.json', unchanging('json', Buffer.from(JSON.stringify(document))));
  router.get('/docs/swagger-initializer.js', unchanging('text/javascript', Buffer.from(initializer)));
  for (const file of files) {
    const path = file === 'index.html' ? '/docs/' : `/docs/${file}`;
    router.get(path, unchanging(file, readFileSync(join(swaggerUiFolder(), file))));
  }
  return router;
}

/**
 * Answers with the same bytes as long as the service runs. All answers share them, so that many unread ones take no more
 * memory than one. Whoever has them already is told so (304).
 */
function unchanging(type: string, bytes: Buffer): RequestHandler {
  const etag = `"${createHash('sha256').update(bytes).digest('base64url')}"`;
  return (_request, response) => {
    response.set({ ETag: etag, 'Cache-Control': 'no-cache' }).type(type).send(bytes);
  };
}
