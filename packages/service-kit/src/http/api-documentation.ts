import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type OpenApiDocument, servedDocument } from '@multi-drm/contracts';
import { type RequestHandler, Router } from 'express';

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** The page of the documentation. The empty icon keeps browsers from asking for `/favicon.ico`. */
const page = (title: string) => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${escaped(title)}</title>
    <link rel="icon" href="data:,">
  </head>
  <body>
    <div id="reference"></div>
    <script src="./api-reference.js"></script>
    <script src="./start.js"></script>
  </body>
</html>
`;

/**
 * Starts Scalar's API reference without anything that it would load from, or send to, its vendor, and without keeping credentials in the
 * browser. The address of the service is given because Scalar does not resolve the relative one of the document. Ids in the query of the
 * page, such as `?siteId=…`, replace those of the examples, so that a link can lead to a page whose requests work.
 */
const start = `const base = new URL('..', location.href);

async function documentOfPage() {
  let text = await (await fetch('../openapi.json')).text();
  const parameters = Object.values(JSON.parse(text).components.parameters);
  for (const [name, id] of new URLSearchParams(location.search)) {
    const { example } = parameters.find((parameter) => parameter.in === 'path' && parameter.name === name) ?? {};
    if (example && /^[\\w-]+$/.test(id)) text = text.replaceAll(example, id);
  }
  return text;
}

documentOfPage().then((content) => Scalar.createApiReference('#reference', {
  content,
  servers: [{ url: base.href.replace(/\\/$/, ''), description: 'This service' }],
  withDefaultFonts: false,
  telemetry: false,
  proxyUrl: '',
  externalUrls: { dashboardUrl: '', registryUrl: '', proxyUrl: '', apiBaseUrl: '' },
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
  hideClientButton: true,
  persistAuth: false,
}));
`;

/** The script of the package that browsers load. Nothing else of the package is used; its other dependencies are not installed. */
function apiReferenceScript(): string {
  return join(dirname(require.resolve('@scalar/api-reference/style.css')), 'browser/standalone.js');
}

/**
 * Serves `/openapi.json` and `/docs`, which shows it in a browser using only files of this service. `/` redirects
 * there. All references are relative, so that a proxy can serve the service under a path.
 */
export function apiDocumentation(document: OpenApiDocument): Router {
  const router = Router({ strict: true });
  router.get(['/', '/docs'], (_request, response) => {
    response.redirect('docs/');
  });
  const files: [path: string, type: string, make: () => Buffer][] = [
    ['/openapi.json', 'json', () => Buffer.from(JSON.stringify(servedDocument(document)))],
    ['/docs/', 'html', () => Buffer.from(page(document.info.title))],
    ['/docs/start.js', 'text/javascript', () => Buffer.from(start)],
    ['/docs/api-reference.js', 'text/javascript', () => readFileSync(apiReferenceScript())],
  ];
  for (const [path, type, make] of files) router.get(path, unchanging(type, make));
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
