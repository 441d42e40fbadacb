import { once } from 'node:events';
import { Problem } from '@multi-drm/contracts';
import express from 'express';
import supertest from 'supertest';
import { sendBytes } from '../testing/send-bytes';
import { thingsDocument } from '../testing/things-document';
import { thingPath, thingsService } from '../testing/things-service';
import { mountEndpoints } from './mount-endpoints';
import { operationsOf } from './operations';

const { app, handled } = thingsService({ validateResponses: false });
const letIn = { Authorization: 'let-me-in' };
const latestPath = thingPath.replace('lamp', 'latest');

beforeEach(() => {
  handled.length = 0;
});

/** Sends a request line unmodified, which HTTP clients would normalize; resolves to the raw response. */
async function send(requestLine: string): Promise<string> {
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const headers = 'Host: a\r\nAuthorization: let-me-in\r\nConnection: close';
  const answer = await sendBytes(server, `${requestLine} HTTP/1.1\r\n${headers}\r\n\r\n`);
  await new Promise((resolve) => server.close(resolve));
  return answer;
}

describe('mounting', () => {
  const mount = (paths: object, handlers = {}) =>
    thingsService({ document: { ...thingsDocument, paths: { ...thingsDocument.paths, ...paths } }, handlers });

  test('finds every operation of the document', () => {
    expect(operationsOf(thingsDocument).map(({ operationId, body }) => [operationId, body])).toEqual([
      ['listThings', 'none'],
      ['createThing', 'json'],
      ['getThing', 'none'],
      ['changeThing', 'json'],
      ['releaseThing', 'none'],
      ['getLatestThing', 'none'],
    ]);
  });

  test('fails if an operation has no endpoint', () => {
    expect(() =>
      mount({ '/more': { get: { operationId: 'getMore', responses: { 204: { description: 'More' } } } } }),
    ).toThrow('operation getMore has no endpoint');
  });

  test('fails if an endpoint is not an operation', () => {
    expect(() => mount({}, { getMore: async () => ({ status: 200 }) })).toThrow(
      'endpoint getMore is not an operation of the document',
    );
  });

  test('fails if two endpoints implement the same operation', () => {
    const endpoint = { operationId: 'listThings', access: 'owner', handle: async () => ({ status: 200 }) };
    const options = { document: thingsDocument, endpoints: [endpoint, endpoint], authorize: () => null };
    expect(() => mountEndpoints(express(), { ...options, validateResponses: false })).toThrow(
      'two endpoints implement the same operation',
    );
  });
});

describe('a route', () => {
  test('passes the handler the validated input and the result of the access check', async () => {
    const seen: object[] = [];
    const { app } = thingsService({
      handlers: {
        changeThing: async ({ params, query, body, context, requestId }) => {
          seen.push({ params, query, body, context, requestId });
          return { status: 200, body: { name: 'a' }, headers: { ETag: '"2"' } };
        },
      },
    });
    const response = await supertest(app)
      .patch(thingPath.replace('lamp', 'l%C3%A4mp%2F1'))
      .set({ Authorization: 'let-me-in', 'X-Request-Id': 'request-0001' })
      .send({ a: 1 });
    expect(response.status).toBe(200);
    expect(response.get('ETag')).toBe('"2"');
    expect(seen).toEqual([
      {
        params: { environmentId: '5f0d2a51-0f0e-4d0b-9a53-0f9a4c1f2b77', name: 'lämp/1' },
        query: {},
        body: { a: 1 },
        context: { caller: 'the owner' },
        requestId: 'request-0001',
      },
    ]);
  });

  const release = (type: string, body: string | Buffer) =>
    supertest(app).delete(thingPath).set({ Authorization: 'let-me-in', 'Content-Type': type }).send(body);
  const types = ['text/plain;charset=UTF-8', 'application/json', 'nonsense'];

  test.each(types)(
    'without a body in the document accepts none, {}, [] or null with type %s, and may answer without a body',
    async (type) => {
      for (const body of ['', '{}', ' {\n} ', '[]', '[ ]', 'null', ' null\n']) {
        const response = await release(type, body);
        expect(response.status).toBe(204);
        expect(response.text).toBe('');
        expect(response.headers).not.toHaveProperty('content-type');
      }
    },
  );

  test.each(types)('without a body in the document rejects any other body of type %s', async (type) => {
    for (const body of ['{', '{"a":1}', '[1]', '[[]]', 'nul', 'false', '""', 'a', 'a'.repeat(70_000)]) {
      const { status, body: problem } = await release(type, body);
      expect([status, problem.errors]).toEqual([400, { body: ['is not allowed here: send no body, or {}'] }]);
    }
    expect(handled).toEqual([]);
  });

  test('without a body in the document checks access before the body', async () => {
    expect((await supertest(app).delete(thingPath).send('{"a":1}')).status).toBe(401);
  });

  test('that reads ignores a body', async () => {
    const request = supertest(app).get(thingPath).set('Authorization', 'let-me-in');
    expect((await request.set('Content-Type', 'application/json').send('{"a":1}')).status).toBe(200);
  });

  test('with a fixed path takes precedence over a matching template', async () => {
    const response = await supertest(app).get(latestPath).set('Authorization', 'let-me-in');
    expect(response.body).toEqual({ name: 'the latest one' });
    expect(handled).toEqual(['getLatestThing']);
  });

  test('is found in any letter case and with a trailing slash', async () => {
    for (const path of [`${thingPath}/`, thingPath.replace('/api/v1/environments', '/API/v1/Environments')]) {
      expect((await supertest(app).get(path)).status).toBe(401);
      expect((await supertest(app).get(path).set('Authorization', 'let-me-in')).body).toEqual({ name: 'lamp' });
    }
  });
});

describe('HEAD', () => {
  const head = (path: string) => supertest(app).head(path);

  test.each([['/api/v1/things?limit=10'], [thingPath], [latestPath]])(
    'of %s is answered with the headers of GET and no body',
    async (path) => {
      const { headers: getHeaders } = await supertest(app).get(path).set(letIn).expect(200);
      const { headers, text } = await head(path).set(letIn).expect(200);
      const own = ['date', 'x-request-id'];
      const facts = (all: object) => Object.entries(all).filter(([name]) => !own.includes(name));
      expect(facts(headers)).toEqual(facts(getHeaders));
      expect(text).toBeUndefined();
    },
  );

  test('is refused like GET, without a body', async () => {
    const anonymous = await head(thingPath).expect(401);
    expect(anonymous.headers['www-authenticate']).toMatch(/^Bearer /);
    expect(anonymous.headers['content-type']).toBe('application/problem+json');
    await head('/api/v1/things?limit=0').set(letIn).expect(400);
    await head('/api/v1/things?unknown=1').set(letIn).expect(400);
    expect(handled).toEqual([]);
  });

  test('is 405 if there is no GET, and 404 if there is no route', async () => {
    const post = { operationId: 'postOnly', responses: { 204: { description: 'Done' } } };
    const service = thingsService({
      document: { ...thingsDocument, paths: { ...thingsDocument.paths, '/post-only': { post } } },
      handlers: { postOnly: async () => ({ status: 204 }) },
    });
    const { headers } = await supertest(service.app).head('/post-only').expect(405);
    expect(headers.allow).toBe('POST');
    await head('/api/v1/nothing').expect(404);
  });
});

describe('a request that matches no operation', () => {
  test.each([
    'GET /',
    'GET /api/v1/thing',
    'GET /api//v1/things',
    'GET /api/v1/things//',
    'GET /api/v1/things/..',
    'GET /api/v1/things%2F',
    'GET /api/v1/%74hings',
    'GET //api/v1/things',
    'GET /./api/v1/things',
    'GET /api/v1/../v1/things',
    'GET /api/v1/things#fragment',
    'GET /api/v1/things;a=b',
    'GET http://elsewhere/api/v1/things',
    'OPTIONS *',
  ])('%s is 404', async (requestLine) => {
    expect(await send(requestLine)).toMatch(/^HTTP\/1.1 404 [\s\S]*"code":"route_not_found"/);
    expect(handled).toEqual([]);
  });

  test.each(['put', 'delete', 'options', 'trace', 'search'] as const)(
    'with method %s is 405 and lists the allowed methods',
    async (method) => {
      const response = await supertest(app)[method]('/api/v1/things');
      expect(response.status).toBe(405);
      expect(response.get('Allow')?.split(', ').sort()).toEqual(['GET', 'HEAD', 'POST']);
      expect(response.body).toMatchObject({
        code: 'method_not_allowed',
        detail: `This route does not support ${method.toUpperCase()}.`,
      });
    },
  );

  test.each(['GET', 'PUT', 'HEAD'])('with a path that cannot be decoded is 400 for %s', async (method) => {
    for (const name of ['%', '%E0%A4%A', '%ff', '%u0041']) {
      const response = await send(`${method} ${thingPath.replace('lamp', name)}`);
      expect(response).toMatch(/^HTTP\/1.1 400 /);
      if (method !== 'HEAD') expect(response).toContain('"errors":{"path":["is not valid percent-encoding"]}');
    }
    expect(handled).toEqual([]);
  });
});

describe('access', () => {
  test('is checked before the schema, and the handler does not run without it', async () => {
    const response = await supertest(app).post('/api/v1/things').send({ unknown: 1 });
    expect(response.status).toBe(401);
    expect(response.get('Content-Type')).toBe('application/problem+json');
    expect(response.body).toMatchObject({ code: 'authentication_required', detail: 'Send let-me-in.' });
    expect(handled).toEqual([]);
  });

  test('is refused by whatever authorize throws or rejects with', async () => {
    const reasons = [new Problem('permission_denied', 'No.'), new Error('away'), undefined, 'route', 'router', null];
    const authorize = () => Promise.reject(reasons.shift());
    const { app, handled } = thingsService({ validateResponses: false, authorize });
    const statuses: number[] = [];
    for (const _ of [...reasons]) statuses.push((await supertest(app).get('/api/v1/things')).status);
    expect(statuses).toEqual([403, 500, 500, 404, 404, 500]);
    expect(handled).toEqual([]);
  });

  test('is not checked if the body is too large, and checked once, before it is parsed, if it is not', async () => {
    let asked = 0;
    const { app } = thingsService({
      authorize: () => {
        asked += 1;
        return { caller: 'anybody' };
      },
    });
    const post = (body: string) =>
      supertest(app).post('/api/v1/things').set('Content-Type', 'application/json').send(body);
    expect((await post('{'.padEnd(65_537))).status).toBe(413);
    expect(asked).toBe(0);
    expect((await post('{')).status).toBe(400);
    expect(asked).toBe(1);
    expect((await post('{"name":"a"}')).status).toBe(201);
    expect(asked).toBe(2);
  });
});

describe('an operation with a body of bytes', () => {
  const echoed = {
    operationId: 'echoBytes',
    requestBody: { required: false, content: { 'application/octet-stream': { schema: { type: 'string' } } } },
    responses: {
      200: { description: 'The same bytes.', content: { 'application/octet-stream': {} } },
      413: { description: 'Too many.', content: { 'application/problem+json': { schema: { type: 'object' } } } },
    },
  };
  const { app } = thingsService({
    document: { ...thingsDocument, paths: { ...thingsDocument.paths, '/echo': { post: echoed } } },
    handlers: { echoBytes: async ({ body }) => ({ status: 200, bytes: body as unknown as Buffer }) },
  });
  const echo = () =>
    supertest(app)
      .post('/echo')
      .set(letIn)
      .serialize((bytes) => bytes)
      .responseType('blob');

  test.each(['application/json', 'text/plain', 'application/x-www-form-urlencoded', 'x/y'])(
    'accepts them unchanged under %s',
    async (type) => {
      const sent = Buffer.from([0x7b, 0, 0xff, 0xc3, 0x28]);
      const { body } = await echo().set('Content-Type', type).send(sent).expect(200);
      expect(body).toEqual(sent);
    },
  );

  test('accepts an empty body', async () => {
    const { body } = await echo().expect(200);
    expect(body).toHaveLength(0);
  });

  test('accepts 64 KiB and not a byte more', async () => {
    await echo().set('Content-Type', 'x/y').send(Buffer.alloc(65_536)).expect(200);
    await echo().set('Content-Type', 'x/y').send(Buffer.alloc(65_537)).expect(413);
  });
});
