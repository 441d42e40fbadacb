import { Problem } from '@multi-drm/contracts';
import { errorChain, textOf } from './error-chain';
import { UnusableDatabase } from './prepare-connection';

/** Kinds of `DriverAdapterError` (@prisma/driver-adapter-utils) that have no SQLSTATE. */
const unavailableKinds = new Set(['ConnectionClosed', 'DatabaseNotReachable', 'SocketTimeout', 'TlsConnectionError']);

/**
 * SQLSTATE codes (PostgreSQL, appendix A): connection exceptions, invalid authorization, insufficient resources,
 * shutting down or starting up, no such database, statement and lock timeouts, idle transaction timeout, and standby.
 */
const unavailableStates = /^(?:08...|28...|53...|57P0.|3D000|57014|55P03|25P03|25006)$/;

/** Prisma codes: no connection for a transaction in time, or a transaction that took too long. */
const unavailablePrismaCodes = new Set(['P2028']);

const socketCodes = new Set([
  'EAI_AGAIN',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
]);

/** Errors of `pg` that can be recognised by their message only. */
const unavailableMessages = [
  'Client has encountered a connection error and is not queryable',
  'Client was closed and is not queryable',
  'Connection terminated',
  'Query read timeout',
  'timeout exceeded when trying to connect',
];

/**
 * Whether an error of the Prisma client or of `pg` means that the database is unreachable, unusable or does not answer in time,
 * as opposed to rejecting a query. The same call may succeed later.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  return errorChain(error).some((link) => {
    const code = textOf(link, 'originalCode') ?? textOf(link, 'code') ?? '';
    if (unavailablePrismaCodes.has(code) || socketCodes.has(code) || unavailableStates.test(code)) return true;
    if (link instanceof UnusableDatabase) return true;
    if (unavailableKinds.has(textOf(link, 'kind') ?? '')) return true;
    // Only errors thrown by `pg` itself: user text inside another error's message must not match.
    const message = link instanceof Error && link.name === 'Error' ? link.message : '';
    return unavailableMessages.some((start) => message.startsWith(start));
  });
}

/** `Retry-After` in seconds while the database is unavailable. */
const retrySeconds = 5;

/** The problem that callers get for such an error; undefined for any other error. */
export function databaseProblem(error: unknown): Problem | undefined {
  if (!isDatabaseUnavailable(error)) return undefined;
  return new Problem('service_unavailable', 'The data store is currently unavailable.', {
    headers: { 'Retry-After': String(retrySeconds) },
    cause: error,
  });
}
