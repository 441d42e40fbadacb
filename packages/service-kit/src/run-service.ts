import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Express } from 'express';
import { answerInTurn } from './http/answers-in-turn';
import { answerClientError } from './http/client-error';
import type { Health } from './http/health';
import { outliveLogReaders } from './log-readers';
import type { Logger } from './logger';
import type { Metrics } from './metrics';
import { metricsServer } from './metrics-server';

interface ServiceOptions {
  app: Express;
  host: string;
  port: number;
  metrics: Metrics;
  /** Where the metrics can be read, on the same host; undefined: nowhere. They are there until the process ends. */
  metricsPort: number | undefined;
  health: Health;
  logger: Logger;
  /** For which a connection is kept open between two requests. */
  keepAliveSeconds: number;
  /** For which nothing of an answer may be taken, until its connection ends after at most twice as long. */
  unreadMilliseconds?: number | undefined;
  /** Milliseconds for which readiness says no before the server stops taking connections. */
  shutdownDelay: number;
  /** Milliseconds for the requests in flight, and as many again for the closers. */
  shutdownGrace: number;
  /** Run one after the other after the last request; a failing one does not keep the others from running. */
  closers: (() => Promise<unknown>)[];
}

/**
 * Milliseconds. A caller that sends slowly is cut off, so that it cannot hold connections. They count from the first byte of
 * a request, so that they may be shorter than a connection is kept open without one.
 */
const timeouts = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 5_000,
};

type ListenOptions = Pick<ServiceOptions, 'host' | 'port' | 'logger'>;

async function listen(server: Server, { host, port, logger }: ListenOptions): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException) => {
      const inUse = error.code === 'EADDRINUSE';
      reject(inUse ? new Error(`port ${port} of ${host} is in use by another process`, { cause: error }) : error);
    };
    server.once('error', fail);
    server.listen(port, host, () => {
      server.off('error', fail);
      // Such as where the process has no file descriptor left; without a listener this would end it.
      server.on('error', (error) => logger.warn('a connection could not be accepted', { port, error }));
      resolve();
    });
  });
}

/** Has keep-alive connections end with the answers in flight and with those that come, from the returned call on. */
function connectionsOf(server: Server): { endWithAnswers(): void } {
  const inFlight = new Set<ServerResponse>();
  let ending = false;
  const end = (response: ServerResponse) => {
    if (!response.headersSent) response.setHeader('Connection', 'close');
  };
  server.prependListener('request', (_request, response: ServerResponse) => {
    inFlight.add(response);
    if (ending) end(response);
    response.once('close', () => {
      inFlight.delete(response);
      // Of an answer that had begun before: its connection would hold the closing server open.
      if (!server.listening) server.closeIdleConnections();
    });
  });
  return {
    endWithAnswers: () => {
      ending = true;
      inFlight.forEach(end);
    },
  };
}

/** Resolves with whether all requests in flight ended within the grace period. */
async function closeServer(server: Server, graceMilliseconds: number): Promise<boolean> {
  const closed = new Promise<boolean>((resolve) => server.close(() => resolve(true)));
  const graceful = await within(graceMilliseconds, closed);
  server.closeAllConnections();
  return graceful;
}

/** The outcome of a step of the shutdown, or false where it takes too long. */
async function within(milliseconds: number, step: Promise<boolean>): Promise<boolean> {
  const cancel = new AbortController();
  const timeout = delay(milliseconds, false, { signal: cancel.signal }).catch(() => false);
  const outcome = await Promise.race([step, timeout]);
  cancel.abort();
  return outcome;
}

/**
 * Serves until SIGTERM or SIGINT, then: readiness says no, a wait, the server closes, requests in flight finish, the
 * closers run, the process exits (0 where all was in order). Rejects where the port cannot be had.
 */
export async function runService(options: ServiceOptions): Promise<void> {
  const { app, health, logger, host, port, shutdownDelay, shutdownGrace } = options;
  const server = createServer({ ...timeouts, keepAliveTimeout: options.keepAliveSeconds * 1_000 });
  answerInTurn(server, app, options.unreadMilliseconds);
  server.on('clientError', answerClientError);
  const connections = connectionsOf(server);
  const forMetrics = metricsServer(options.metrics);

  const close = async (): Promise<boolean> => {
    let orderly = true;
    for (const closer of options.closers) {
      try {
        await closer();
      } catch (error) {
        orderly = false;
        logger.error('closing failed', { error });
      }
    }
    return orderly;
  };

  let stopping = false;
  const stop = async (signal: string): Promise<void> => {
    if (stopping) return;
    stopping = true;
    logger.info('shutting down', { signal });
    health.beginShutdown();
    connections.endWithAnswers();
    await delay(shutdownDelay);
    const answered = await closeServer(server, shutdownGrace);
    if (!answered) logger.warn('requests in flight were cut off at the end of the grace period');
    const closed = await within(shutdownGrace, close());
    forMetrics.close();
    forMetrics.closeAllConnections();
    if (!closed) logger.warn('not everything was closed in order');
    logger.info('stopped');
    process.exitCode = answered && closed ? 0 : 1;
    // Whatever still holds the event loop open has had its chance.
    setTimeout(() => process.exit(), 1_000).unref();
  };

  process.on('SIGTERM', (signal) => void stop(signal));
  process.on('SIGINT', (signal) => void stop(signal));
  if (options.metricsPort !== undefined) await listen(forMetrics, { host, port: options.metricsPort, logger });
  await listen(server, { host, port, logger });
  logger.info('listening', { host, port: (server.address() as AddressInfo).port });
}

/** Runs `main`; a failure to start is said in one log line, and the process exits with 1. It goes on without readers of its log. */
export function startProcess(logger: Logger, main: () => Promise<void>): void {
  outliveLogReaders();
  const fail = (message: string) => (error: unknown) => {
    logger.error(message, { error });
    setTimeout(() => process.exit(1), 100); // time for the log line to be written
  };
  process.on('uncaughtException', fail('uncaught exception'));
  main().catch(fail('start failed'));
}
