import { closeSync, openSync } from 'node:fs';
import { controlPlaneDocument } from '@multi-drm/contracts';
import express from 'express';
import { apiDocumentation } from '../http/api-documentation';
import { Health } from '../http/health';
import { createLogger } from '../logger';
import { Metrics } from '../metrics';
import { runService, startProcess } from '../run-service';

// A service for the tests of `runService`, which start it as a separate process.

const logger = createLogger({ service: 'stoppable', level: 'info' });
const health = new Health({ service: 'stoppable', version: '0.0.0', checks: {} });
const app = express();
const { HOST, PORT, METRICS_PORT, KEEP_ALIVE_SECONDS, CLOSER, SHUTDOWN_DELAY, SHUTDOWN_GRACE, UNREAD } = process.env;

app.get('/ready', async (_request, response) => {
  const readiness = await health.readiness();
  response.status(readiness.status === 'ready' ? 200 : 503).json(readiness);
});

// Answered on SIGUSR2.
app.get('/slow', (request, response) => {
  if ('begun' in request.query) response.write('begun ');
  response.once('close', () => logger.info('slow request ended'));
  process.once('SIGUSR2', () => response.end('done'));
  logger.info('slow request in flight');
});

app.get('/timeouts', (request, response) => {
  const { server } = request.socket as unknown as { server: Record<string, number> };
  response.json({ headers: server.headersTimeout, request: server.requestTimeout, keepAlive: server.keepAliveTimeout });
});

app.get('/logged', (_request, response) => {
  logger.info('logged');
  process.stderr.write('a warning of Node itself\n');
  response.end('logged');
});

// Simulates the system refusing a connection.
app.get('/refused-connection', (request, response) => {
  const { server } = request.socket as unknown as { server: NodeJS.EventEmitter };
  server.emit('error', new Error('accept EMFILE'));
  response.end();
});

app.get('/open-file', (_request, response) => {
  closeSync(openSync('/dev/null', 'r'));
  response.end();
});

app.use(apiDocumentation(controlPlaneDocument));

app.get('/memory', (_request, response) => {
  response.json(process.memoryUsage().rss);
});

// Larger than the buffers between two processes, so that it is only sent if it is read.
app.get('/large', (_request, response) => {
  response.send(Buffer.alloc(32 * 1024 * 1024, 'x'));
});

app.get('/crash', () => {
  setImmediate(() => {
    throw new Error('uncaught');
  });
});

const closers = {
  orderly: async () => logger.info('closed'),
  failing: async () => Promise.reject(new Error('cannot close')),
  hanging: () => new Promise(() => undefined),
};

startProcess(logger, () =>
  runService({
    app,
    settings: {
      HOST: HOST === 'all' ? undefined : '127.0.0.1',
      PORT: Number(PORT ?? 0),
      METRICS_PORT: METRICS_PORT === undefined ? undefined : Number(METRICS_PORT),
      KEEP_ALIVE_SECONDS: Number(KEEP_ALIVE_SECONDS ?? 65),
      SHUTDOWN_DELAY_MILLISECONDS: Number(SHUTDOWN_DELAY ?? 0),
      SHUTDOWN_GRACE_MILLISECONDS: Number(SHUTDOWN_GRACE ?? 10_000),
    },
    metrics: new Metrics(logger),
    health,
    logger,
    unreadMilliseconds: UNREAD === undefined ? undefined : Number(UNREAD),
    closers: [closers[(CLOSER ?? 'orderly') as keyof typeof closers], closers.orderly],
  }),
);
