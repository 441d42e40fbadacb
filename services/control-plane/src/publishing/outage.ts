import { isDatabaseUnavailable } from '../database/database-unavailable';
import { RedisUnavailable } from './document-writer';

/** Whether an error means that PostgreSQL or Redis is unavailable, which affects all documents alike. */
export function isOutage(error: unknown): boolean {
  return error instanceof RedisUnavailable || isDatabaseUnavailable(error);
}
