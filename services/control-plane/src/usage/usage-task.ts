import type { Logger } from '@multi-drm/service-kit';
import { createBackgroundPool } from '../database/background-pool';
import type { BoundedPool } from '../database/connection-pool';
import { RepeatedWork } from '../events/repeated-work';
import { UsageClosings } from './closings';
import { type Clock, databaseClock } from './database-clock';
import { removeOldUsage } from './usage-retention';
import { UsageRollUp } from './usage-roll-up';

const second = 1_000;

/** How often minutes are recomputed: within 15 seconds of their events, with the time that it takes. */
const rollUpMilliseconds = 10 * second;

const hour = 3_600 * second;

/** Of a minute or a day with many events. On a busy machine, it takes several times as long as on an idle one. */
const statementMilliseconds = 30 * second;

interface UsageTaskOptions {
  connectionString: string;
  logger: Logger;
  /** The clock of PostgreSQL, unless a test names another. */
  clock?: Clock;
  /** Monotonic milliseconds. */
  monotonicNow: () => number;
}

/** Everything that a control plane does for usage besides answering calls. Any number of instances may run at the same time. */
export class UsageTask {
  private readonly pool: BoundedPool;
  /** Beside each other, because counting the viewers of a day may take longer than a minute may wait. */
  private readonly works: RepeatedWork[];

  constructor({ connectionString, logger, clock = databaseClock, monotonicNow }: UsageTaskOptions) {
    // One for each of the works.
    const pool = createBackgroundPool({ connectionString, logger, owner: 'usage', size: 3, statementMilliseconds });
    const rollUp = new UsageRollUp({ pool, clock, monotonicNow });
    const closings = new UsageClosings({ pool, clock });
    this.works = [
      { name: 'computing usage', work: () => rollUp.run(), milliseconds: rollUpMilliseconds },
      { name: 'counting viewers', work: () => closings.run(), milliseconds: rollUpMilliseconds },
      { name: 'removing old usage', work: () => removeOldUsage(pool, clock), milliseconds: hour },
    ].map((work) => new RepeatedWork({ ...work, logger }));
    this.pool = pool;
  }

  start(): void {
    for (const work of this.works) work.start();
  }

  /** Resolves when what is under way is done. */
  async stop(): Promise<void> {
    await Promise.all(this.works.map((work) => work.stop()));
    await this.pool.end();
  }
}
