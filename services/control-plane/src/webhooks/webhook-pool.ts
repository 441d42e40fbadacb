import type { Logger } from '@multi-drm/service-kit';
import type { Pool } from 'pg';
import { createConnectionPool } from '../database/connection-pool';
import { schemaOfUrl } from '../database/database-url';

/** Well below the time of a lease, so that one statement that takes long does not cost it. */
const statementMilliseconds = 5_000;

/** Connections of their own, so that deliveries never wait for requests, nor they for them. */
export function createWebhookPool(connectionString: string, logger: Logger): Pool {
  return createConnectionPool({
    connectionString,
    size: 3,
    connectMilliseconds: 2_000,
    bounds: {
      statementMilliseconds,
      idleInTransactionMilliseconds: statementMilliseconds,
      schema: schemaOfUrl(connectionString),
    },
    onConnected: () => undefined,
    onConnectionError: (error) => logger.warn('a database connection of the webhooks broke', { error }),
  });
}
