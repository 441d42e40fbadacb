import type { Logger } from '@multi-drm/service-kit';
import { createBackgroundPool } from '../database/background-pool';
import type { BoundedPool } from '../database/connection-pool';

/** A portion of entries is stored in one transaction, whose statements have thousands of rows. */
const statementMilliseconds = 10_000;

/**
 * How long a transaction that stores events of Redis may take, whatever its statements take: what was decided when it began, such as who
 * was erased, is old by then.
 */
export const storingMilliseconds = 10_000;

/** Connections that store events. */
export function createEventPool(connectionString: string, logger: Logger): BoundedPool {
  // Two that store, one for the other parts of a round, and one that erases.
  return createBackgroundPool({ connectionString, logger, owner: 'the events', size: 4, statementMilliseconds });
}
