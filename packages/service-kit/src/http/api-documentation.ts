import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OpenApiDocument } from '@multi-drm/contracts';
import { type RequestHandler, Router } from 'express';
// The package's main file would load all of Swagger UI.
import swaggerUiFolder from 'swagger-ui-dist/absolute-path.js';

// Swagger UI's page loads this file to learn which document to show.
const initializer = `window.onload = () => {
  window.ui = SwaggerUIBundle({
    url: '../openapi.json',
    dom_id: '#swagger-ui',
    presets: [SwaggerUIBundle.presets.apis, SwaggerUIStandalonePreset],
    layout: 'StandaloneLayout',
  });
};
`;

/** The page and the files it loads. */
const files = [
  'index.html',
  'index.css',
  'swagger-ui.css',
  'swagger-ui-bundle.js',
  'swagger-ui-standalone-preset.js',
  'favicon-16x16.png',
  'favicon-32x32.png',
];

/**
 * Serves `/openapi.json` and `/docs`, which shows it in a browser using only files of this service. `/` redirects
 * there. All references are relative, so that a proxy can serve the service under a path.
 */
export function apiDocumentation(document: OpenApiDocument): Router {
  const router = Router({ strict: true });
  router.get(['/', '/docs'], (_request, response) => {
    response.redirect('docs/');
  });
  router.get(
    '/openapi.json',
    unchanging('json', () => Buffer.from(JSON.stringify(document))),
  );
  router.get(
    '/docs/swagger-initializer.js',
    unchanging('text/javascript', () => Buffer.from(initializer)),
  );
  for (const file of files) {
    const path = file === 'index.html' ? '/docs/' : `/docs/${file}`;
    router.get(
      path,
      unchanging(file, () => readFileSync(join(swaggerUiFolder(), file))),
    );
  }
  return router;
}

/**
 * Answers with the same bytes for the life of the process, made with the first request. All responses share one buffer, so many unread
 * ones take no more memory than one. Clients that already have the bytes get a 304.
 */
function unchanging(type: string, make: () => Buffer): RequestHandler {
  let made: { bytes: Buffer; etag: string } | undefined;
  return (_request, response) => {
    made ??= withEtag(make());
    response.set({ ETag: made.etag, 'Cache-Control': 'no-cache' }).type(type).send(made.bytes);
  };
}

function withEtag(bytes: Buffer): { bytes: Buffer; etag: string } {
  return { bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url')}"` };
}
