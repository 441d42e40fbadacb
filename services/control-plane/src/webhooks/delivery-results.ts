import type { BoundedPool } from '../database/connection-pool';
import { inTransaction } from '../database/pool-transaction';
import { type Column, rowsAs } from '../events/bulk-rows';
import { backOffMilliseconds } from '../publishing/back-off';

/** How many results are written at a time, and how long the first of them waits for others. */
const maximumAtOnce = 500;
const collectMilliseconds = 50;

/** What became of a delivery by an attempt: it arrived, or is sent again later, or is not sent any more. */
export type DeliveryOutcome = 'delivered' | 'retried' | 'failed';

/** An attempt, as it is stored. */
export interface DeliveryResult {
  endpointId: string;
  eventId: string;
  /** Of the event, in ISO 8601 with microseconds. */
  time: string;
  outcome: DeliveryOutcome;
  /** Until the next attempt, in milliseconds; null: there is none. */
  pause: number | null;
  status: number | null;
  error: string | null;
  /** Of a failure: the beginning of the answer, if it is a text. */
  answer: string | null;
}

const statuses = { delivered: 'delivered', retried: 'pending', failed: 'failed' } as const;

const columns: Column<DeliveryResult>[] = [
  { name: 'endpoint_id', type: 'uuid', value: ({ endpointId }) => endpointId },
  { name: 'event_id', type: 'uuid', value: ({ eventId }) => eventId },
  { name: 'time', type: 'timestamptz', value: ({ time }) => time },
  { name: 'status', type: 'webhook_delivery_status', value: ({ outcome }) => statuses[outcome] },
  { name: 'pause', type: 'double precision', value: ({ pause }) => pause },
  { name: 'last_status', type: 'integer', value: ({ status }) => status },
  { name: 'last_error', type: 'text', value: ({ error }) => error },
  { name: 'last_answer', type: 'text', value: ({ outcome, answer }) => (outcome === 'delivered' ? null : answer) },
];

interface DeliveryResultsOptions {
  pool: BoundedPool;
  /** Called when results are written. */
  onWritten: (results: readonly DeliveryResult[]) => void;
  /** Called when they could not be written; they are tried again. */
  onFailed: (error: unknown) => void;
  /** A number from 0 up to 1. */
  random: () => number;
}

interface Waiting {
  result: DeliveryResult;
  written: () => void;
}

/** Writes the results of attempts, many at a time. */
export class DeliveryResults {
  private waiting: Waiting[] = [];
  private writing: Promise<void> | undefined;
  private failures = 0;
  private closed = false;

  constructor(private readonly options: DeliveryResultsOptions) {}

  /** Resolves once the result is written. Never rejects: it is tried until it succeeds, or this is closed. */
  async add(result: DeliveryResult): Promise<void> {
    if (this.closed) return;
    await new Promise<void>((written) => {
      this.waiting.push({ result, written });
      this.writing ??= this.writeAll();
    });
  }

  /** Writes what was added until now, and nothing after that: what is not written is sent again by the next holder of the lease. */
  async close(): Promise<void> {
    this.closed = true;
    await this.write(this.waiting.splice(0)).catch(() => undefined);
    await this.writing;
  }

  private async writeAll(): Promise<void> {
    while (this.waiting.length > 0 && !this.closed) {
      const { random } = this.options;
      const collect = this.waiting.length < maximumAtOnce ? collectMilliseconds : 0;
      const pause = this.failures === 0 ? collect : backOffMilliseconds(this.failures, random);
      await new Promise((resolve) => setTimeout(resolve, pause));
      const together = this.waiting.splice(0, maximumAtOnce);
      try {
        await this.write(together);
        this.failures = 0;
        for (const { written } of together) written();
      } catch (error) {
        this.failures += 1;
        this.waiting.unshift(...together);
        this.options.onFailed(error);
      }
    }
    this.writing = undefined;
  }

  private async write(together: readonly Waiting[]): Promise<void> {
    const results = together.map(({ result }) => result);
    if (results.length === 0) return;
    await inTransaction(this.options.pool, async (client) => {
      const { table, values } = rowsAs('given', columns, results);
      const times = results.map(({ time }) => time).sort();
      // The bounds are constants, so that PostgreSQL looks at few partitions only. A result that comes late changes nothing that has ended.
      await client.query(
        `UPDATE webhook_delivery AS delivery SET status = given.status, attempts = delivery.attempts + 1,
           next_attempt_at = clock_timestamp() + given.pause * interval '1 millisecond', last_attempt_at = clock_timestamp(),
           last_status = given.last_status, last_error = given.last_error, last_answer = given.last_answer
         FROM ${table}
         WHERE delivery.endpoint_id = given.endpoint_id AND delivery.time = given.time AND delivery.event_id = given.event_id
           AND delivery.next_attempt_at IS NOT NULL
           AND delivery.time BETWEEN $${columns.length + 1}::timestamptz AND $${columns.length + 2}::timestamptz`,
        [...values, times[0], times.at(-1)],
      );
    });
    this.options.onWritten(results);
  }
}
