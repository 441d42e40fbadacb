import type { Logger } from '@multi-drm/service-kit';
import { Client } from 'pg';
import type { BoundedPool } from '../database/connection-pool';
import { schemaOfUrl } from '../database/database-url';
import { addPartitions, partitionDaysLeft, removePartitions } from '../database/partitions';
import { inTransaction } from '../database/pool-transaction';
import { prepareConnection } from '../database/prepare-connection';

/** How many days sessions are kept: longer than a month, so that one that began before it can be found. */
const sessionDays = 35;

/** How long removing a partition may wait for transactions that still read the table. */
const removeMilliseconds = 60_000;

/** SQLSTATE `insufficient_privilege` (PostgreSQL, appendix A). */
const insufficientPrivilege = '42501';

interface EventPartitionsOptions {
  pool: BoundedPool;
  connectionString: string;
  /** How many days events and their deliveries are kept. */
  eventDays: number;
  logger: Logger;
}

/** The partitions of events, deliveries and sessions: those of the next days are added, and those of days that are over are removed. */
export class EventPartitions {
  private isRefused = false;
  /** The connection that removes partitions. */
  private removing: Client | undefined;

  constructor(private readonly options: EventPartitionsOptions) {}

  /** Adds the partitions of the next days. If the role may not, it logs that once; then `migrate` has to. */
  async add(): Promise<void> {
    const { pool, logger } = this.options;
    try {
      await inTransaction(pool, (client) => addPartitions(client));
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === insufficientPrivilege)) throw error;
      if (!this.isRefused) {
        logger.warn('the role may not add partitions for events: run node dist/migrate.js at least once a week', {
          error,
        });
      }
      this.isRefused = true;
    }
  }

  /** Removes what is older than it is kept: events, deliveries, sessions, gaps, and what was not stored. Nothing waits for it. */
  async removeOld(): Promise<void> {
    const { pool, connectionString, eventDays } = this.options;
    await inTransaction(pool, async (client) => {
      await client.query(`DELETE FROM event_set_aside WHERE set_aside_at < now() - $1::int * interval '1 day'`, [
        eventDays,
      ]);
      await client.query(`DELETE FROM event_gap WHERE to_time < now() - $1::int * interval '1 day'`, [eventDays]);
      await client.query(`DELETE FROM event_outbox WHERE time < now() - $1::int * interval '1 day'`, [eventDays]);
    });
    if (this.isRefused) return;
    const client = new Client({ connectionString, query_timeout: removeMilliseconds, connectionTimeoutMillis: 2_000 });
    // Without a listener, a broken connection would end the process; the running query rejects with the same error.
    client.on('error', () => undefined);
    this.removing = client;
    try {
      await client.connect();
      const { schema } = await prepareConnection(client, schemaOfUrl(connectionString));
      await removePartitions(client, schema, 'event', eventDays);
      await removePartitions(client, schema, 'webhook_delivery', eventDays);
      await removePartitions(client, schema, 'session', sessionDays);
    } finally {
      this.removing = undefined;
      await client.end();
    }
  }

  /** Interrupts what waits for others: it is finished the next time. */
  async stop(): Promise<void> {
    await this.removing?.end();
  }

  /** Returns for how many days, from today on, events can be stored. */
  async daysLeft(): Promise<number> {
    return inTransaction(this.options.pool, partitionDaysLeft);
  }
}
