import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type Logger, type SecretKey, Secrets } from '@multi-drm/service-kit';
import { createBackgroundPool } from '../database/background-pool';
import type { BoundedPool } from '../database/connection-pool';
import type { Database } from '../database/database';
import { RepeatedWork } from '../events/repeated-work';
import { atMostEvery } from './at-most-every';
import { type DeliveryOutcome, type DeliveryResult, DeliveryResults } from './delivery-results';
import { type DisabledReason, disableEndpoint } from './disable-endpoint';
import { DueDeliveries } from './due-deliveries';
import { type DueEndpoint, findDueEndpoints } from './due-endpoints';
import { type DueRange, everyDay, recentDays } from './due-range';
import { noteHealth } from './endpoint-health';
import { HeldEndpoints } from './held-endpoints';
import { openEndpoint } from './open-endpoint';
import { OrganizationGate } from './organization-gate';
import { endDeliveriesOfRemoved } from './removed-endpoints';
import { advanceReplays } from './replays';
import type { WebhookSender } from './webhook-sender';

/** Well below the time of a lease, so that one statement that takes long does not cost it. */
const statementMilliseconds = 5_000;

/** How long the end of the process waits for answers. */
const lastMilliseconds = 5_000;

interface WebhookTaskOptions {
  connectionString: string;
  database: Database;
  /** Its creator closes it after `stop()`. */
  sender: Pick<WebhookSender, 'send'>;
  secretKeys: readonly SecretKey[];
  /** The pauses after the first attempt, the second one and so on. */
  retrySeconds: readonly number[];
  logger: Logger;
  /** Counts attempts by what became of the delivery. */
  count: (outcome: DeliveryOutcome, count: number) => void;
  /** The time of day. */
  now: () => Date;
  /** Milliseconds. */
  monotonicNow: () => number;
  sleep?: (milliseconds: number) => Promise<void>;
  /** How often this process looks for what is due. */
  pollMilliseconds?: number;
  /** A number from 0 up to 1. */
  random?: () => number;
}

/** Sends events to the endpoints of customers for as long as it runs. Any number of processes may do so at the same time. */
export class WebhookTask {
  private readonly pool: BoundedPool;
  private readonly results: DeliveryResults;
  private readonly held: HeldEndpoints;
  private readonly work: RepeatedWork;
  private readonly replay: () => Promise<void>;
  private readonly sendOfEveryDay: () => Promise<void>;
  private readonly endOfRemoved: () => Promise<void>;
  /** What has failed beside the rounds. */
  private failure: unknown;

  constructor(private readonly options: WebhookTaskOptions) {
    const { connectionString, sender, secretKeys, retrySeconds, logger, now, monotonicNow } = options;
    const { random = Math.random, sleep = delay, pollMilliseconds = 250 } = options;
    const pool = createBackgroundPool({
      connectionString,
      logger,
      owner: 'the webhooks',
      size: 3,
      statementMilliseconds,
    });
    this.pool = pool;
    const seldom = 40 * pollMilliseconds;
    this.sendOfEveryDay = atMostEvery(seldom, () => this.send(everyDay, []), monotonicNow);
    this.endOfRemoved = atMostEvery(seldom, () => endDeliveriesOfRemoved(pool), monotonicNow);
    this.replay = atMostEvery(
      4 * pollMilliseconds,
      async () => {
        if (await advanceReplays(pool)) await this.send(everyDay, []);
      },
      monotonicNow,
    );
    const onFailed = (error: unknown) => {
      this.failure = error;
    };
    const onWritten = (results: readonly DeliveryResult[]) => {
      for (const { outcome } of results) options.count(outcome, 1);
    };
    this.results = new DeliveryResults({ pool, onWritten, onFailed, random });
    const secrets = new Secrets(secretKeys);
    this.held = new HeldEndpoints(pool, randomUUID(), {
      due: new DueDeliveries(pool),
      sender,
      results: this.results,
      gate: new OrganizationGate(),
      open: (endpoint) => openEndpoint(secrets, endpoint),
      retrySeconds,
      onReadFailed: onFailed,
      onNotSendable: (webhookEndpointId, error) =>
        logger.error('an event cannot be sent to a webhook endpoint', { webhookEndpointId, error }),
      now: () => now().getTime(),
      monotonicNow,
      sleep,
      random,
    });
    this.work = new RepeatedWork({
      name: 'sending webhooks',
      work: async () => {
        const since = monotonicNow();
        await this.round();
        return Math.max(pollMilliseconds / 5, pollMilliseconds - (monotonicNow() - since));
      },
      milliseconds: pollMilliseconds,
      outageLevel: 'warn',
      logger,
      random,
    });
  }

  start(): void {
    this.work.start();
  }

  /** Resolves when the last answers are stored, and other processes can go on. */
  async stop(): Promise<void> {
    await this.work.stop();
    await this.held.stop(lastMilliseconds);
    await this.results.close();
    const { gone: _gone, ...health } = this.held.takeHealth();
    await noteHealth(this.pool, health).catch(() => undefined); // otherwise the next attempt notes it
    await this.held.giveUpAll().catch(() => undefined); // otherwise they expire
    await this.pool.end();
  }

  /** Returns the enabled endpoints at which something is due. */
  async findDueEndpoints(): Promise<DueEndpoint[]> {
    return findDueEndpoints(this.pool, everyDay);
  }

  private async round(): Promise<void> {
    const { failure } = this;
    this.failure = undefined;
    if (failure !== undefined) throw failure;
    await this.held.renew();
    await this.disable();
    await this.send(recentDays(this.options.now().getTime(), this.options.retrySeconds), this.held.busy);
    await this.held.giveUpIdle();
    await this.replay();
    await this.sendOfEveryDay();
    await this.endOfRemoved();
  }

  private async send(range: DueRange, without: readonly string[]): Promise<void> {
    await this.held.send(await findDueEndpoints(this.pool, range, without), range);
  }

  /** Disables endpoints that are gone, or that have been failing for too long. */
  private async disable(): Promise<void> {
    const { gone, ...health } = this.held.takeHealth();
    const failing = await noteHealth(this.pool, health);
    const disabled: [string, DisabledReason][] = [
      ...gone.map((id): [string, DisabledReason] => [id, 'gone']),
      ...failing.map((id): [string, DisabledReason] => [id, 'failing']),
    ];
    for (const [id, reason] of disabled) {
      const { database, now } = this.options;
      await disableEndpoint(database, id, reason, now());
      await this.held.giveUp([id]);
    }
  }
}
