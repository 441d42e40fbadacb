import type { Logger } from '@multi-drm/service-kit';
import type { Pool } from 'pg';
import { createBackgroundPool } from '../database/background-pool';

/** Well below the time of a lease, so that one statement that takes long does not cost it. */
const statementMilliseconds = 5_000;

/** Connections that deliver events. */
export function createWebhookPool(connectionString: string, logger: Logger): Pool {
  return createBackgroundPool({ connectionString, logger, owner: 'the webhooks', size: 3, statementMilliseconds });
}
