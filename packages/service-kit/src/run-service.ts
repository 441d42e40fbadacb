import { createServer, type Server } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Express } from 'express';
import type { Health } from './http/health';
import type { Logger } from './logger';

interface ServiceOptions {
  app: Express;
  host: string;
  port: number;
  health: Health;
  logger: Logger;
  /** Milliseconds for which readiness says no before the server stops taking connections. */
  shutdownDelay: number;
  /** Milliseconds for the requests in flight. */
  shutdownGrace: number;
  /** Run one after the other after the last request; a failing one does not keep the others from running. */
  closers: (() => Promise<unknown>)[];
}

async function listen(server: Server, host: string, port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

async function closeServer(server: Server, graceMilliseconds: number): Promise<boolean> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const cancel = new AbortController();
  const graceful = await Promise.race([
    closed.then(() => true),
    delay(graceMilliseconds, false, { signal: cancel.signal }).catch(() => false),
  ]);
  cancel.abort();
  server.closeAllConnections();
  return graceful;
}

/**
 * Serves until SIGTERM or SIGINT, then: readiness says no, a wait, the server closes, requests in flight finish, the
 * closers run, the process exits (0 where all was in order).
 */
export async function runService(options: ServiceOptions): Promise<void> {
  const { app, health, logger, host, port } = options;
  const server = createServer({ requestTimeout: 30_000, headersTimeout: 10_000, keepAliveTimeout: 65_000 }, app);
  // Answers made while shutting down end their connections, or a keep-alive client would hold the server open.
  server.prependListener('request', (_request, response) => {
    if (stopping) response.setHeader('Connection', 'close');
  });
  let stopping = false;

  const stop = async (signal: string): Promise<void> => {
    if (stopping) return;
    stopping = true;
    logger.info('shutting down', { signal });
    health.beginShutdown();
    await delay(options.shutdownDelay);
    let orderly = await closeServer(server, options.shutdownGrace);
    if (!orderly) logger.warn('requests in flight were cut off at the end of the grace period');
    for (const close of options.closers) {
      try {
        await close();
      } catch (error) {
        orderly = false;
        logger.error('closing failed', { error });
      }
    }
    logger.info('stopped');
    process.exitCode = orderly ? 0 : 1;
    // Whatever still holds the event loop open has had its chance.
    setTimeout(() => process.exit(), 1_000).unref();
  };

  process.on('SIGTERM', (signal) => void stop(signal));
  process.on('SIGINT', (signal) => void stop(signal));
  await listen(server, host, port);
  logger.info('listening', { host, port });
}

/** Runs `main`; a failure to start is said in one log line, and the process exits with 1. */
export function startProcess(logger: Logger, main: () => Promise<void>): void {
  process.on('uncaughtException', (error) => {
    logger.error('uncaught exception', { error });
    setTimeout(() => process.exit(1), 100); // time for the log line to be written
  });
  main().catch((error: unknown) => {
    logger.error('start failed', { error });
    setTimeout(() => process.exit(1), 100);
  });
}
