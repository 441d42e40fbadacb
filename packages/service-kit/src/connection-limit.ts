import type { Server } from 'node:net';
import type { Logger } from './logger';
import type { Metrics } from './metrics';
import { throttledWarnings } from './throttled-warnings';

/** Descriptors that are never left to callers, whatever the limit: files, and connections to Redis and PostgreSQL. */
const minimumReserve = 100;

/**
 * How many connections a server may have at a time if the process may have this many descriptors. A quarter is kept for files and
 * for connections to Redis, PostgreSQL, license servers and issuers.
 */
export function maximumConnections(descriptors: number): number {
  const reserve = Math.max(minimumReserve, Math.ceil(descriptors / 4));
  // Node takes 0 for no limit.
  return Math.max(1, descriptors - reserve);
}

/** The soft limit of descriptors of this process, which Node raises to the hard limit at its start. Undefined: none. */
function descriptorLimit(): number | undefined {
  // The report would look up the host name of each connection, such as that to Redis, and the process would wait for the name server.
  Object.assign(process.report, { excludeNetwork: true });
  const { userLimits } = process.report.getReport() as { userLimits?: { open_files?: { soft?: unknown } } };
  const soft = userLimits?.open_files?.soft;
  return typeof soft === 'number' ? soft : undefined;
}

/**
 * Has a server close further connections at once before callers have used up the descriptors of the process. They are counted in
 * `multi_drm_http_connections_dropped_total` and logged, at most once every ten seconds.
 */
export function limitConnections(server: Server, metrics: Metrics, logger: Logger): void {
  const countDropped = metrics.addCounter(
    'multi_drm_http_connections_dropped_total',
    'Connections closed at once because there were too many.',
  );
  const descriptors = descriptorLimit();
  if (descriptors === undefined) return;
  server.maxConnections = maximumConnections(descriptors);
  const warn = throttledWarnings(logger, performance.now.bind(performance));
  server.on('drop', () => {
    countDropped();
    const { maxConnections } = server;
    warn('drop', 'a connection was closed because there are too many', {
      maximumConnections: maxConnections,
      descriptors,
    });
  });
}
