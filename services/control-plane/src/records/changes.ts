import type { Database } from '../database/database';
import type { Publisher } from '../publishing/publisher';
import type { LockMode } from '../stores/organization-lock';
import type { Change } from './change';
import { type CreatedOnce, createOnce } from './create-once';
import { OpenChange } from './open-change';
import { runChange } from './run-change';

/** The steps of a change. They may run again if the transaction was aborted, so they must have no effects outside of it. */
type Steps<Result> = (open: OpenChange) => Promise<Result>;

interface ChangesOptions {
  database: Database;
  /** Woken after each commit, so that playback learns of the change at once. */
  publisher: Pick<Publisher, 'wake' | 'whenPublished'>;
  now: () => Date;
}

/**
 * The one way to change records: begins a transaction, repeats the access check in it, runs the steps, commits, wakes
 * the publisher, and then waits until playback can act on the change, which holds no connection. Steps that throw undo
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
   * `idempotency_key_reused` if the key was used with another body. `waits`: whether to wait for the publication.
   */
  async createOnce<Created extends { id: string }>(
    change: Change,
    steps: Steps<Created>,
    options?: { waits: boolean },
  ): Promise<CreatedOnce<Created>> {
    return this.runIn('shared', change, (open) => createOnce(open, change.claim, () => steps(open)), options);
  }

  private async runIn<Result>(
    mode: LockMode,
    { actor }: Pick<Change, 'actor'>,
    steps: Steps<Result>,
    { waits } = { waits: true },
  ): Promise<Result> {
    const { database, publisher, now } = this.options;
    const time = now();
    const { result, documents } = await runChange(database, actor, mode, async (transaction) => {
      const open = new OpenChange(transaction, actor, time);
      return { result: await steps(open), documents: open.documents };
    });
    publisher.wake();
    if (waits) await publisher.whenPublished(documents);
    return result;
  }
}
