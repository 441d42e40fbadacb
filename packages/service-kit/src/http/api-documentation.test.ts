import { runInNewContext } from 'node:vm';
import { playbackDocument, servedDocument } from '@multi-drm/contracts';
import express from 'express';
import supertest from 'supertest';
import { apiDocumentation } from './api-documentation';
import { securityHeaders } from './security-headers';

// Disables Express' own ETags, as the control plane does: there, ETags are versions of records.
const app = express().disable('etag').use(securityHeaders()).use(apiDocumentation(playbackDocument));

test('the OpenAPI document is served with what tools and readers need besides', async () => {
  const { body } = await supertest(app).get('/openapi.json').expect(200);
  expect(body).toEqual(servedDocument(playbackDocument));
});

test('the page has the name of the service', async () => {
  const { text } = await supertest(app).get('/docs/').expect(200);
  expect(text).toContain('<title>Multi-DRM playback</title>');
});

test('a browser can show the document using only files of this service', async () => {
  const { text } = await supertest(app).get('/docs/').expect(200);
  const files = [...text.matchAll(/src="([^"]+)"/g)].map(([, file = '']) => file);
  expect(files).toEqual(['./api-reference.js', './start.js']);
  for (const file of files) await supertest(app).get(new URL(file, 'http://host/docs/').pathname).expect(200);
  const { text: start } = await supertest(app).get('/docs/start.js').expect(200);
  expect(start).toContain("fetch('../openapi.json')");
});

describe('the page', () => {
  /** Runs the script of the page at an address; resolves to what it shows. */
  const shownAt = async (address: string) => {
    const { text: script } = await supertest(app).get('/docs/start.js').expect(200);
    const { text: document } = await supertest(app).get('/openapi.json').expect(200);
    return new Promise<{ content: string; servers: { url: string }[] }>((resolve) => {
      const Scalar = {
        createApiReference: (_place: string, shown: { content: string; servers: [] }) => resolve(shown),
      };
      const fetch = async () => ({ text: async () => document });
      runInNewContext(script, { URL, URLSearchParams, location: new URL(address), fetch, Scalar });
    });
  };

  test('shows the document, and sends requests to the service under its own path', async () => {
    const { content, servers } = await shownAt('https://host/drm/docs/');
    expect(JSON.parse(content)).toEqual(servedDocument(playbackDocument));
    expect(servers[0]?.url).toBe('https://host/drm');
  });

  test('shows the ids of its address in the examples', async () => {
    const { content } = await shownAt('https://host/docs/?siteId=5f0d2a51-0f0e-4d0b-9a53-0f9a4c1f2b77&other=1');
    const { SiteId } = JSON.parse(content).components.parameters;
    expect(SiteId.example).toBe('5f0d2a51-0f0e-4d0b-9a53-0f9a4c1f2b77');
    expect(content).not.toContain('01967f3a-1c00-7a10-8b1e-3d5f7a9c1e03');
  });

  test('takes nothing but ids from its address', async () => {
    const { content } = await shownAt(`https://host/docs/?siteId=${encodeURIComponent('","x":"<img src=y>')}`);
    expect(JSON.parse(content)).toEqual(servedDocument(playbackDocument));
  });
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
  const { response: initializer } = await follow(page, './start.js');
  const document = await follow(page, /fetch\('([^']+)'\)/.exec(initializer.text)?.[1] ?? '');
  expect(document.response.body.servers).toHaveLength(1);
  expect(new URL(document.response.body.servers[0].url, document.address).href).toBe('https://host/drm/');
});

test.each(['/openapi.json', '/docs/', '/docs/api-reference.js'])(
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
  for (const path of ['/docs/style.css', '/docs/../style.css', '/docs/%2e%2e%2fstyle.css', '/openapi.json/']) {
    await supertest(app).get(path).expect(404);
  }
});
