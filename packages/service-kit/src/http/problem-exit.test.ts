import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Problem } from '@multi-drm/contracts';
import express from 'express';
import supertest from 'supertest';
import { type LogEntry, thingPath, thingsService } from '../testing/things-service';
import { problemExit } from './problem-exit';
import { requestContext } from './request-context';

const failing = (error: unknown, toProblem?: (error: unknown) => Problem | undefined) =>
  thingsService({
    validateResponses: false,
    ...(toProblem && { toProblem }),
    handlers: {
      getThing: async () => {
        throw error;
      },
    },
  });
const call = ({ app }: ReturnType<typeof failing>) =>
  supertest(app).get(thingPath).set({ Authorization: 'let-me-in', 'X-Request-Id': 'request-0001' });
const failures = (logged: LogEntry[]) => logged.filter(({ message }) => message === 'request failed');

test('a problem is sent with the members of RFC 9457 and of this product', async () => {
  const service = failing(
    new Problem('service_unavailable', 'Later.', { headers: { 'Retry-After': '3' }, members: { limit: 2 } }),
  );
  const response = await call(service);
  expect(response.status).toBe(503);
  expect(response.get('Content-Type')).toBe('application/problem+json');
  expect(response.get('Retry-After')).toBe('3');
  expect(response.get('X-Request-Id')).toBe('request-0001');
  expect(response.body).toEqual({
    type: 'urn:multi-drm:problem:service_unavailable',
    title: 'The service is temporarily unavailable',
    status: 503,
    detail: 'Later.',
    instance: thingPath,
    code: 'service_unavailable',
    requestId: 'request-0001',
    retryable: true,
    limit: 2,
  });
  expect(failures(service.logged)).toEqual([]);
});

test('a problem is sent in UTF-8 without a charset parameter', async () => {
  const { body, headers } = await call(failing(new Problem('invalid_request', 'Ungültig: 名前.')));
  expect(body.detail).toBe('Ungültig: 名前.');
  expect(headers['content-type']).toBe('application/problem+json');
});

test.each([
  ['no credential', {}, 'Bearer realm="api"'],
  ['another scheme', { Authorization: 'Basic YTpi' }, 'Bearer realm="api"'],
  ['a token', { Authorization: 'bearer abc' }, 'Bearer realm="api", error="invalid_token"'],
  ['a scheme and no token', { Authorization: 'Bearer' }, 'Bearer realm="api", error="invalid_token"'],
])('a 401 to %s has a challenge', async (_what, headers, challenge) => {
  const response = await supertest(failing(undefined).app).get(thingPath).set(headers).expect(401);
  expect(response.get('WWW-Authenticate')).toBe(challenge);
});

test('no other refusal has a challenge', async () => {
  const response = await call(failing(new Problem('permission_denied', 'No.')));
  expect(response.get('WWW-Authenticate')).toBeUndefined();
});

test('any other error is an internal error that reveals nothing to the caller and is logged once', async () => {
  const error = new Error('relation "api_client" does not exist at /srv/app/dist/store.js:12');
  const service = failing(error);
  const response = await call(service);
  expect(response.body).toEqual({
    type: 'urn:multi-drm:problem:internal_error',
    title: 'The service failed',
    status: 500,
    detail: 'The request failed through no fault of yours; quote the request id.',
    instance: thingPath,
    code: 'internal_error',
    requestId: 'request-0001',
    retryable: false,
  });
  expect(failures(service.logged)).toEqual([
    {
      level: 'error',
      message: 'request failed',
      fields: {
        requestId: 'request-0001',
        route: '/api/v1/environments/{environmentId}/things/{name}',
        error,
      },
    },
  ]);
});

test.each([[undefined], [null], ['text'], [{ status: 404, expose: true }], [new URIError('malformed')]])(
  'so is %p',
  async (thrown) => {
    const service = failing(thrown);
    expect((await call(service)).body).toMatchObject({ code: 'internal_error', status: 500 });
    expect(failures(service.logged)).toHaveLength(1);
  },
);

test('an error that the service recognizes becomes its problem, and is logged as a warning', async () => {
  const error = new Error('connect ECONNREFUSED');
  const service = failing(error, () => new Problem('service_unavailable', 'Later.'));
  expect((await call(service)).body).toMatchObject({ code: 'service_unavailable', detail: 'Later.' });
  expect(failures(service.logged)).toEqual([
    { level: 'warn', message: 'request failed', fields: expect.objectContaining({ error }) },
  ]);
});

test('a problem with a cause is logged as a failure if the service caused it, and as a refusal if the caller did', async () => {
  const unavailable = new Problem('service_unavailable', 'Later.', { cause: new Error('away') });
  const internal = new Problem('internal_error', 'Sorry.', { cause: new Error('broken') });
  const decided = new Problem('internal_error', 'As you asked.');
  const refusal = new Problem('invalid_request', 'No.', { cause: new Error('why') });
  const levels = async (problem: Problem) => {
    const service = failing(problem);
    await call(service);
    return service.logged.filter(({ message }) => message !== 'request').map(({ level, message }) => [level, message]);
  };
  expect(await levels(unavailable)).toEqual([['warn', 'request failed']]);
  expect(await levels(internal)).toEqual([['error', 'request failed']]);
  expect(await levels(decided)).toEqual([]);
  expect(await levels(refusal)).toEqual([['info', 'request refused']]);

  const service = failing(refusal);
  await call(service);
  expect(service.logged).toContainEqual({
    level: 'info',
    message: 'request refused',
    fields: {
      requestId: 'request-0001',
      route: '/api/v1/environments/{environmentId}/things/{name}',
      code: 'invalid_request',
      cause: 'why',
    },
  });
});

test("the service's own members are in each of its problems, and the query is in none", async () => {
  const app = express();
  app.use(requestContext({ error() {}, warn() {}, info() {}, debug() {} }));
  app.use(() => {
    throw new Problem('route_not_found', 'No.');
  });
  app.use(problemExit({ logger: { error() {}, warn() {}, info() {}, debug() {} }, members: { contractVersion: 1 } }));
  expect((await supertest(app).get('/a/b?viewer=somebody')).body).toMatchObject({
    code: 'route_not_found',
    instance: '/a/b',
    contractVersion: 1,
  });
});

test('a failure in the middle of a response closes the connection and is logged', async () => {
  const service = thingsService({
    validateResponses: false,
    handlers: {
      getThing: async ({ response }) => {
        response.type('json').write('{"name":"half of');
        throw new Error('the rest is missing');
      },
    },
  });
  const server = service.app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const answer = fetch(`http://127.0.0.1:${port}${thingPath}`, { headers: { Authorization: 'let-me-in' } });
  await expect(answer.then((response) => response.text())).rejects.toThrow();
  await new Promise((resolve) => server.close(resolve));
  expect(failures(service.logged)).toEqual([expect.objectContaining({ level: 'error' })]);
  expect(service.logged.at(-1)?.fields).toMatchObject({ status: 'aborted' });
});

test('an outage is logged once, then every ten seconds with the number of failures in between', async () => {
  const warned: (Record<string, unknown> | undefined)[] = [];
  const ignore = () => undefined;
  const warn = (_message: string, fields?: Record<string, unknown>) => void warned.push(fields);
  const logger = { error: ignore, warn, info: ignore, debug: ignore };
  let time = 0;
  const app = express()
    .use(requestContext(logger))
    .use(() => {
      throw new Error('unreachable');
    })
    .use(problemExit({ logger, toProblem: () => new Problem('service_unavailable', 'Later.'), now: () => time }));

  for (time = 0; time <= 10_000; time += 1_000) await supertest(app).get('/').expect(503);
  expect(warned.map((fields) => fields?.alsoFailed)).toEqual([undefined, 9]);
});
