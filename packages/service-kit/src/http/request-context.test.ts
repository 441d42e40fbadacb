import express from 'express';
import supertest from 'supertest';
import { thingsDocument } from '../testing/things-document';
import type { LogEntry } from '../testing/things-service';
import { thingPath, thingsService } from '../testing/things-service';
import { requestContext } from './request-context';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const { app, logged } = thingsService({ validateResponses: false });

beforeEach(() => {
  logged.length = 0;
});

describe('the request id', () => {
  test.each(['12345678', 'a'.repeat(128), '5f0d2a51-0f0e-4d0b-9a53-0f9a4c1f2b77', 'A.b_c-d.e'])(
    "is the caller's own: %s",
    async (id) => {
      const response = await supertest(app).get('/').set('X-Request-Id', id);
      expect(response.get('X-Request-Id')).toBe(id);
      expect(response.body.requestId).toBe(id);
    },
  );

  test.each(['1234567', 'a'.repeat(129), 'with a space', '{"json":1}', 'a,b,c,d,e', '<script>', 'é'.repeat(8)])(
    'is a UUID if the caller sends %s',
    async (id) => {
      const response = await supertest(app).get('/').set('X-Request-Id', Buffer.from(id, 'utf8').toString('latin1'));
      expect(response.get('X-Request-Id')).toMatch(uuid);
      expect(response.body.requestId).toBe(response.get('X-Request-Id'));
    },
  );

  test('differs each time', async () => {
    const ids = [await supertest(app).get('/'), await supertest(app).get('/')].map((response) =>
      response.get('X-Request-Id'),
    );
    expect(ids[0]).toMatch(uuid);
    expect(ids[0]).not.toBe(ids[1]);
  });
});

test('a request is logged with its route, but not with its path, query or body', async () => {
  await supertest(app)
    .patch(`${thingPath}?viewer=somebody`)
    .set({ Authorization: 'let-me-in', 'X-Request-Id': 'request-0001' })
    .send({ viewer: 'somebody' });
  expect(logged).toEqual([
    {
      level: 'info',
      message: 'request',
      fields: {
        requestId: 'request-0001',
        method: 'PATCH',
        route: '/api/v1/environments/{environmentId}/things/{name}',
        status: 400,
        code: 'invalid_request',
        durationMilliseconds: expect.any(Number),
        environmentId: '5f0d2a51-0f0e-4d0b-9a53-0f9a4c1f2b77',
      },
    },
  ]);
});

test('a request without a route is logged without one', async () => {
  await supertest(app).get('/secret-path');
  expect(logged.map(({ fields }) => fields)).toEqual([
    expect.objectContaining({ route: 'none', status: 404, code: 'route_not_found' }),
  ]);
  expect(JSON.stringify(logged)).not.toContain('secret-path');
});

test('a probe of a monitor is logged at the level debug', async () => {
  const path = '/api/v1/things';
  const get = { ...(thingsDocument.paths[path]?.get as object), 'x-called-by': 'monitors' };
  const document = {
    ...thingsDocument,
    paths: { ...thingsDocument.paths, [path]: { ...thingsDocument.paths[path], get } },
  };
  const service = thingsService({ document, validateResponses: false });
  await supertest(service.app).get(path).set('Authorization', 'let-me-in').expect(200);
  expect(service.logged.map(({ level, message }) => [level, message])).toEqual([['debug', 'request']]);
});

test('the duration is measured by the clock', async () => {
  const entries: LogEntry['fields'][] = [];
  const ticks = [1_000.2, 1_250.4];
  const timed = express();
  const logger = {
    error() {},
    warn() {},
    debug() {},
    info: (_message: string, fields?: LogEntry['fields']) => void entries.push(fields),
  };
  timed.use(requestContext(logger, { now: () => ticks.shift() ?? Number.NaN }));
  timed.use((_request, response) => void response.sendStatus(204));
  await supertest(timed).get('/');
  expect(entries).toEqual([expect.objectContaining({ status: 204, durationMilliseconds: 250 })]);
});
