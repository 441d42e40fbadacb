import { playbackDocument } from '@multi-drm/contracts';
import express from 'express';
import supertest from 'supertest';
import { apiDocumentation } from './api-documentation';
import { securityHeaders } from './security-headers';

// Disables Express' own ETags, as the control plane does: there, ETags are versions of records.
const app = express().disable('etag').use(securityHeaders()).use(apiDocumentation(playbackDocument));

test('the OpenAPI document is served unchanged', async () => {
  const { body } = await supertest(app).get('/openapi.json').expect(200);
  expect(body).toEqual(playbackDocument);
});

test('a browser can show the document using only files of this service', async () => {
  const { text } = await supertest(app).get('/docs/').expect(200);
  const files = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, file = '']) => file);
  expect(files.length).toBeGreaterThan(3);
  for (const file of files) await supertest(app).get(new URL(file, 'http://host/docs/').pathname).expect(200);
  const { text: initializer } = await supertest(app).get('/docs/swagger-initializer.js').expect(200);
  expect(initializer).toContain("url: '../openapi.json'");
});

test.each(['get', 'head'] as const)('the root redirects to the documentation: %s', async (method) => {
  const { headers } = await supertest(app)[method]('/').expect(302);
  expect(headers.location).toBe('docs/');
});

test('a proxy can serve all of it under a path', async () => {
  // As the proxy's clients resolve references; the proxy takes the path off.
  const follow = async (address: string, reference: string) => {
    const url = new URL(reference, address);
    expect(url.pathname).toMatch(/^\/drm\//);
    return { address: url.href, response: await supertest(app).get(url.pathname.replace('/drm', '')) };
  };
  for (const start of ['https://host/drm/', 'https://host/drm/docs']) {
    const { response } = await follow(start, '');
    expect((await follow(start, String(response.headers.location))).response.status).toBe(200);
  }
  const page = 'https://host/drm/docs/';
  const { response: initializer } = await follow(page, './swagger-initializer.js');
  const document = await follow(page, /url: '([^']+)'/.exec(initializer.text)?.[1] ?? '');
  expect(document.response.body.servers).toHaveLength(1);
  expect(new URL(document.response.body.servers[0].url, document.address).href).toBe('https://host/drm/');
});

test.each(['/openapi.json', '/docs/', '/docs/swagger-ui-bundle.js'])(
  'a client that has %s already gets a 304',
  async (path) => {
    const { headers } = await supertest(app).get(path).expect(200);
    expect(headers['cache-control']).toBe('no-cache');
    const again = await supertest(app).get(path).set('If-None-Match', String(headers.etag)).expect(304);
    expect(again.text).toBe('');
    await supertest(app).get(path).set('If-None-Match', '"another"').expect(200);
  },
);

test('an unknown path is not found, even if it points to an existing file', async () => {
  for (const path of ['/docs/package.json', '/docs/../package.json', '/docs/%2e%2e%2fpackage.json', '/openapi.json/']) {
    await supertest(app).get(path).expect(404);
  }
});
