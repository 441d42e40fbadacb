import type { Database, Transaction } from '../database/database';
import type { LockMode } from '../stores/organization-lock';
import type { Actor, Change } from './change';
import { type CreatedOnce, createOnce } from './create-once';
import { runChange } from './run-change';

/** A change in progress: everything that it does, it does in this transaction. */
export interface OpenChange {
  transaction: Transaction;
  actor: Actor;
  /** The time of the change, the same throughout. */
  now: Date;
}

/** The steps of a change. They may run again if the transaction was aborted, so they must have no effects outside of it. */
type Steps<Result> = (open: OpenChange) => Promise<Result>;

interface ChangesOptions {
  database: Database;
  /** Woken after each commit, so that playback learns of the change at once. */
  publisher: { wake(): void };
  now: () => Date;
}

/**
 * The one way to change records: begins a transaction, repeats the access check in it, runs the steps, commits, and
 * then wakes the publisher, which costs one read of the outbox if there was nothing to do. Steps that throw undo
 * everything, and the publisher stays asleep.
 */
export class Changes {
  constructor(private readonly options: ChangesOptions) {}

  /** Runs a change concurrently with others of the organization. Throws as the access check does. */
  async run<Result>(change: Pick<Change, 'actor'>, steps: Steps<Result>): Promise<Result> {
    return this.runIn('shared', change, steps);
  }

  /**
   * Runs a change that ends what others rely on, such as a key: after the changes of the organization in progress, so
   * that none of them is acknowledged after it.
   */
  async runExclusively<Result>(change: Pick<Change, 'actor'>, steps: Steps<Result>): Promise<Result> {
    return this.runIn('exclusive', change, steps);
  }

  /**
   * Runs a create once for each `Idempotency-Key`: a repeat gets the id of the first one's record. Throws
   * `idempotency_key_reused` if the key was used with another body.
   */
  async createOnce<Created extends { id: string }>(
    change: Change,
    steps: Steps<Created>,
  ): Promise<CreatedOnce<Created>> {
    const { database, now } = this.options;
    const time = now();
    const { actor } = change;
    return this.committed(
      createOnce(database, change, time, (transaction) => steps({ transaction, actor, now: time })),
    );
  }

  private async runIn<Result>(mode: LockMode, { actor }: Pick<Change, 'actor'>, steps: Steps<Result>): Promise<Result> {
    const { database, now } = this.options;
    const time = now();
    return this.committed(runChange(database, actor, mode, (transaction) => steps({ transaction, actor, now: time })));
  }

  private async committed<Result>(change: Promise<Result>): Promise<Result> {
    const result = await change;
    this.options.publisher.wake();
    return result;
  }
}
