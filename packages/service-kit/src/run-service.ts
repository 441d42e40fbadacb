import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Express } from 'express';
import type { z } from 'zod';
import { limitConnections } from './connection-limit';
import { appMessages } from './http/app-messages';
import { answerClientError } from './http/client-error';
import type { Health } from './http/health';
import { ResponsesInFlight } from './http/responses-in-flight';
import { respondInTurn } from './http/responses-in-turn';
import { outliveLogReaders } from './log-readers';
import type { Logger } from './logger';
import type { Metrics } from './metrics';
import { metricsServer } from './metrics-server';
import type { serviceSettings } from './settings';
import { throttledWarnings } from './throttled-warnings';

interface ServiceOptions {
  app: Express;
  /** Readiness fails during the delay. The grace is for requests in flight to finish, and as much again for the closers. */
  settings: Omit<z.infer<typeof serviceSettings>, 'LOG_LEVEL'> & { PORT: number };
  /** Served until the process ends. */
  metrics: Metrics;
  health: Health;
  logger: Logger;
  /** Members added to every problem document of the service. */
  problemMembers?: Record<string, unknown>;
  /** How long a response may go unread; its connection is closed after at most twice as long. */
  unreadMilliseconds?: number | undefined;
  /** Run one after the other after the last request. If one fails, the others still run. */
  closers: (() => Promise<unknown>)[];
}

/**
 * Milliseconds. They close connections of slow senders. They count from the first byte of a request, so they may be
 * shorter than the keep-alive time.
 */
const timeouts = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 5_000,
};

async function listen(server: Server, host: string | undefined, port: number, logger: Logger): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException) => {
      const inUse = error.code === 'EADDRINUSE';
      const address = host === undefined ? `port ${port}` : `port ${port} of ${host}`;
      reject(inUse ? new Error(`${address} is in use by another process`, { cause: error }) : error);
    };
    server.once('error', fail);
    // Without a host, Node listens on `::`, which takes IPv4 too, or on 0.0.0.0 if the machine has no IPv6.
    server.listen({ port, ...(host === undefined ? {} : { host }) }, () => {
      server.off('error', fail);
      const warn = throttledWarnings(logger, performance.now.bind(performance));
      // Without a listener, an error such as running out of file descriptors would end the process.
      server.on('error', (error) => warn('accept', 'a connection could not be accepted', { port, error }));
      resolve();
    });
  });
}

/** Resolves to whether all requests in flight finished within the grace period. */
async function closeServer(server: Server, graceMilliseconds: number): Promise<boolean> {
  const closed = new Promise<boolean>((resolve) => server.close(() => resolve(true)));
  const graceful = await within(graceMilliseconds, closed);
  server.closeAllConnections();
  return graceful;
}

/** Returns the outcome of a shutdown task, or false on timeout. */
async function within(milliseconds: number, task: Promise<boolean>): Promise<boolean> {
  const cancel = new AbortController();
  const timeout = delay(milliseconds, false, { signal: cancel.signal }).catch(() => false);
  const outcome = await Promise.race([task, timeout]);
  cancel.abort();
  return outcome;
}

/**
 * Serves until SIGTERM or SIGINT. Then readiness fails, the server closes after a delay, requests in flight finish, the
 * closers run, and the process exits (with 0 if all went well). Rejects if the port is not available.
 */
export async function runService(options: ServiceOptions): Promise<void> {
  const { app, settings, health, logger } = options;
  const { HOST: host, PORT: port, METRICS_PORT: metricsPort, SHUTDOWN_GRACE_MILLISECONDS: grace } = settings;
  const server = createServer({
    ...timeouts,
    ...appMessages(app),
    keepAliveTimeout: settings.KEEP_ALIVE_SECONDS * 1_000,
  });
  const inFlight = new ResponsesInFlight(server);
  respondInTurn(server, inFlight.tracked(app), options.unreadMilliseconds);
  server.on('clientError', answerClientError({ members: options.problemMembers ?? {} }));
  limitConnections(server, options.metrics, logger);
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
    inFlight.endConnections();
    await delay(settings.SHUTDOWN_DELAY_MILLISECONDS);
    const completed = await closeServer(server, grace);
    if (!completed) logger.warn('requests in flight were cut off at the end of the grace period');
    const closed = await within(grace, close());
    forMetrics.close();
    forMetrics.closeAllConnections();
    if (!closed) logger.warn('some resources were not closed cleanly');
    logger.info('stopped');
    process.exitCode = completed && closed ? 0 : 1;
    // Force the exit in case something still keeps the event loop open.
    setTimeout(() => process.exit(), 1_000).unref();
  };

  process.on('SIGTERM', (signal) => void stop(signal));
  process.on('SIGINT', (signal) => void stop(signal));
  if (metricsPort !== undefined) await listen(forMetrics, host, metricsPort, logger);
  await listen(server, host, port, logger);
  const { address, port: listening } = server.address() as AddressInfo;
  logger.info('listening', { host: address, port: listening });
}

/** Runs `main`. If it fails, logs one line and exits with 1. Keeps running if nobody reads its log. */
export function startProcess(logger: Logger, main: () => Promise<void>): void {
  outliveLogReaders();
  const fail = (message: string) => (error: unknown) => {
    logger.error(message, { error });
    setTimeout(() => process.exit(1), 100); // time for the log line to be written
  };
  process.on('uncaughtException', fail('uncaught exception'));
  main().catch(fail('start failed'));
}
