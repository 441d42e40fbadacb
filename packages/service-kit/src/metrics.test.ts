import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import express from 'express';
import supertest from 'supertest';
import { requestContext } from './http/request-context';
import type { Logger } from './logger';
import { Metrics } from './metrics';
import { metricsServer } from './metrics-server';

const warnings: string[] = [];
const logger: Logger = { error() {}, warn: (message) => void warnings.push(message), info() {}, debug() {} };

test('metrics cover the process and its requests, by method, route template, status and problem', async () => {
  const metrics = new Metrics(logger);
  const ticks = [0, 30, 0, 300, 0, 0, 0, 0];
  const app = express();
  app.use(requestContext(logger, { now: () => ticks.shift() ?? Number.NaN, onCompleted: metrics.countRequest }));
  app.get('/things/:id', (_request, response) => {
    response.locals.requestContext.route = '/things/{id}';
    response.sendStatus(204);
  });
  app.post('/things', (request, response) => {
    Object.assign(response.locals.requestContext, { route: '/things', code: request.query.code });
    response.sendStatus(429);
  });
  await supertest(app).get('/things/secret-id').expect(204);
  await supertest(app).post('/nowhere').expect(404);
  for (const code of ['rate_limited', 'plan_full']) await supertest(app).post(`/things?code=${code}`).expect(429);
  const { text, headers } = await supertest(metricsServer(metrics)).get('/metrics').expect(200);
  expect(headers['content-type']).toMatch(/^text\/plain; version=0.0.4/);
  expect(text.match(/^multi_drm_http_requests_total.*$/gm)).toEqual([
    'multi_drm_http_requests_total{method="GET",route="/things/{id}",status="204",code="none"} 1',
    'multi_drm_http_requests_total{method="POST",route="none",status="404",code="none"} 1',
    'multi_drm_http_requests_total{method="POST",route="/things",status="429",code="rate_limited"} 1',
    'multi_drm_http_requests_total{method="POST",route="/things",status="429",code="plan_full"} 1',
  ]);
  const bucket = (bound: string) =>
    new RegExp(`^multi_drm_http_request_duration_seconds_bucket{le="${bound}",method="GET",.*} (\\d)$`, 'm').exec(
      text,
    )?.[1];
  expect([bucket('0.025'), bucket('0.05')]).toEqual(['0', '1']);
  expect(text).toMatch(/^process_resident_memory_bytes \d/m);
  expect(text).not.toContain('secret-id');
});

test('callers cannot add series with methods and paths of their own', async () => {
  const metrics = new Metrics(logger);
  const count = (method: string, route: string) =>
    metrics.countRequest({ method, route, status: 404, code: undefined, durationMilliseconds: 1 });
  for (const method of ['PROPFIND', 'SEARCH', 'PURGE', 'GET']) count(method, 'none');
  const samples = (await metrics.text()).match(/^multi_drm_http_.*$/gm);
  expect(samples).toEqual([
    'multi_drm_http_requests_total{method="other",route="none",status="404",code="none"} 3',
    'multi_drm_http_requests_total{method="GET",route="none",status="404",code="none"} 1',
  ]);
});

test('a scrape may add parameters or use HEAD', async () => {
  const server = metricsServer(new Metrics(logger));
  await supertest(server).get('/metrics?job=playback').expect(200);
  const { text, headers } = await supertest(server).head('/metrics').expect(200);
  expect([text, headers['content-type']]).toEqual([undefined, expect.stringMatching(/^text\/plain/)]);
});

test('gauges are read at each scrape', async () => {
  const metrics = new Metrics(logger);
  let waiting = 1;
  metrics.addGauges({ multi_drm_waiting: 'How many wait.' }, async () => ({ multi_drm_waiting: waiting }));
  expect(await metrics.text()).toMatch(/^multi_drm_waiting 1$/m);
  waiting = 2;
  expect(await metrics.text()).toMatch(/^multi_drm_waiting 2$/m);
});

test('a gauge that cannot be read does not hide the others, and is logged', async () => {
  const metrics = new Metrics(logger);
  metrics.addGauges({ multi_drm_broken: 'Never there.' }, () => Promise.reject(new Error('away')));
  metrics.addGauges({ multi_drm_waiting: 'How many wait.' }, async () => ({ multi_drm_waiting: 1 }));
  const text = await metrics.text();
  expect(text).toMatch(/^multi_drm_broken Nan$/im);
  expect(text).toMatch(/^multi_drm_waiting 1$/m);
  expect(warnings).toEqual(['could not read gauges']);
});

test.each([
  ['get', '/'],
  ['get', '/metrics/more'],
  ['post', '/metrics'],
] as const)('%s %s is not found', async (method, path) => {
  await supertest(metricsServer(new Metrics(logger)))
    [method](path)
    .expect(404);
});

test('scrapers have at most 32 connections', async () => {
  const server = metricsServer(new Metrics(logger));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const dropped = once(server, 'drop');
  const sockets = Array.from({ length: 33 }, () => connect(port, '127.0.0.1').on('error', () => undefined));
  await dropped;
  expect(await new Promise((resolve) => server.getConnections((_error, count) => resolve(count)))).toBe(32);
  for (const socket of sockets) socket.destroy();
  server.close();
});
