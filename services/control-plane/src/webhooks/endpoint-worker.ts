import { deliveryBody } from './delivery-body';
import type { DeliveryResults } from './delivery-results';
import type { DueDeliveries, DueDelivery } from './due-deliveries';
import { type DueRange, everyDay } from './due-range';
import type { LeasedEndpoint } from './endpoint-leases';
import type { OrganizationGate } from './organization-gate';
import { retryPause } from './retry-schedule';
import { SendPace } from './send-pace';
import { SendWindow } from './send-window';
import type { Attempt, Destination, WebhookSender } from './webhook-sender';

/** How many deliveries are read at a time: at first, or if sending them takes over a second, and at most. */
const fewAtOnce = 16;
const maximumAtOnce = 256;

/** The status of an endpoint that is gone for good (RFC 9110, section 15.5.11). */
const goneStatus = 410;

/** What all endpoints of a process share. */
export interface WorkerOptions {
  due: Pick<DueDeliveries, 'next'>;
  sender: Pick<WebhookSender, 'send'>;
  results: Pick<DeliveryResults, 'add'>;
  gate: Pick<OrganizationGate, 'enter'>;
  /** Returns the URL, secrets and headers in the clear. Throws if they cannot be decrypted. */
  open: (endpoint: LeasedEndpoint) => Destination;
  retrySeconds: readonly number[];
  /** Called if due deliveries cannot be read; they are read again with the next `run`. */
  onReadFailed: (error: unknown) => void;
  /** Called if an attempt cannot be made. That is not the receiver's fault. */
  onNotSendable: (endpointId: string, error: unknown) => void;
  /** Milliseconds since 1970. */
  now: () => number;
  /** Milliseconds. */
  monotonicNow: () => number;
  /** Resolves after this many milliseconds. */
  sleep: (milliseconds: number) => Promise<void>;
  /** A number from 0 up to 1. */
  random: () => number;
}

/** What was read together, and how many there might have been. */
interface DuePortion {
  most: number;
  deliveries: DueDelivery[];
}

/** Sends what is due at an endpoint while this process holds its lease. */
export class EndpointWorker {
  private readonly window = new SendWindow();
  private readonly pace: SendPace;
  /** What was read as due and is not under way. */
  private queue: DueDelivery[] = [];
  /** The ids of events that were read as due, and whose results are not written yet. */
  private readonly known = new Set<string>();
  private active = 0;
  private most = fewAtOnce;
  /** What is read next, and what is read as long as nothing older is due. */
  private range = everyDay;
  private recent = everyDay;
  private running: Promise<void> | undefined;
  private state: 'working' | 'stopped' | 'cut-off' = 'working';
  private lastOutcome: 'succeeded' | 'failed' | undefined;
  private gone = false;
  /** Of the endpoint as it is; undefined: nothing was sent to it yet. */
  private destination: Destination | undefined;
  private waiting: (() => void)[] = [];

  /** `leasedUntil`: monotonic milliseconds. */
  constructor(
    private endpoint: LeasedEndpoint,
    private leasedUntil: number,
    private readonly options: WorkerOptions,
  ) {
    this.pace = new SendPace(options.monotonicNow);
  }

  /** Whether it is sending what is due. */
  get isBusy(): boolean {
    return this.running !== undefined;
  }

  /** Whether something is under way. */
  get isSending(): boolean {
    return this.active > 0;
  }

  /** Whether nothing is due or under way. */
  get isIdle(): boolean {
    return this.running === undefined && this.known.size === 0;
  }

  /** Whether it was stopped, and everything that it has sent is stored and noted. */
  get hasFinished(): boolean {
    return this.state !== 'working' && this.known.size === 0 && this.lastOutcome === undefined;
  }

  /** Whether the endpoint has answered that it is gone. Then nothing more is sent. */
  get isGone(): boolean {
    return this.gone;
  }

  /** The lease was renewed, and the endpoint may have changed. */
  renewed(endpoint: LeasedEndpoint, leasedUntil: number): void {
    this.endpoint = endpoint;
    this.destination = undefined;
    this.leasedUntil = leasedUntil;
  }

  /** Sends what is due of some days. If it is doing so, it looks at all days when it is asked to. */
  run(range: DueRange): void {
    if (this.state !== 'working') return;
    if (this.running === undefined || range === everyDay) this.range = range;
    if (range !== everyDay) this.recent = range;
    this.running ??= this.sendDue()
      .catch(this.options.onReadFailed)
      .finally(() => {
        this.running = undefined;
      });
  }

  /** Sends nothing more. Resolves once nothing is under way. */
  async stop(): Promise<void> {
    if (this.state === 'working') this.state = 'stopped';
    this.forgetAfter(0);
    this.changed();
    await this.running;
    while (this.active > 0) await this.change();
  }

  /** What is under way is interrupted, and counts as not sent. */
  cutOff(): void {
    this.state = 'cut-off';
  }

  /** Whether an attempt has succeeded since the last call; undefined: there was none. */
  takeHealth(): 'succeeded' | 'failed' | undefined {
    const outcome = this.lastOutcome;
    this.lastOutcome = undefined;
    return outcome;
  }

  private async sendDue(): Promise<void> {
    const { monotonicNow } = this.options;
    let next: Promise<DuePortion> | undefined;
    while (this.maySend) {
      const since = monotonicNow();
      const { most, deliveries } = await (next ?? this.read());
      const areAll = deliveries.length < most;
      this.queue = deliveries;
      next = areAll || most === fewAtOnce ? undefined : this.readAhead();
      await this.sendQueue();
      const isFast = monotonicNow() - since < 1_000;
      this.most = isFast ? Math.min(maximumAtOnce, 2 * most) : Math.max(fewAtOnce, most / 2);
      if (areAll) return;
    }
    this.queue = (await next)?.deliveries ?? [];
    this.forgetAfter(0);
  }

  private async read(): Promise<DuePortion> {
    const { most, known, range } = this;
    const deliveries = await this.options.due.next({ endpointId: this.endpoint.id, most, range, known });
    for (const { eventId } of deliveries) known.add(eventId);
    if (deliveries.every(({ time }) => time >= this.recent.from)) this.range = this.recent;
    return { most, deliveries };
  }

  /** Reads while others are sent, to an endpoint that is fast. */
  private readAhead(): Promise<DuePortion> {
    const portion = this.read();
    portion.catch(() => undefined); // whoever waits for it hears of the failure
    return portion;
  }

  private async sendQueue(): Promise<void> {
    while (this.queue.length > 0) {
      while (this.maySend && this.active >= this.window.current) await this.change();
      const pause = this.maySend ? this.pace.take(this.endpoint.maximumPerSecond) : 0;
      if (pause > 0) await this.options.sleep(pause);
      const leave = this.maySend ? await this.options.gate.enter(this.endpoint.organizationId) : undefined;
      const delivery = this.maySend ? this.queue.shift() : undefined;
      if (delivery === undefined) {
        leave?.();
        this.forgetAfter(0);
      } else if (leave === undefined) {
        this.queue.unshift(delivery);
      } else {
        this.active += 1;
        void this.deliver(delivery).finally(() => {
          this.active -= 1;
          leave();
          this.changed();
        });
      }
    }
  }

  private get maySend(): boolean {
    return this.state === 'working' && this.options.monotonicNow() < this.leasedUntil;
  }

  /** Resolves when an attempt has ended, or the worker is stopped. */
  private async change(): Promise<void> {
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  private changed(): void {
    for (const resolve of this.waiting.splice(0)) resolve();
  }

  /** What is behind a place in the queue is read again when it is needed. */
  private forgetAfter(place: number): void {
    for (const { eventId } of this.queue.splice(place)) this.known.delete(eventId);
  }

  private async deliver(delivery: DueDelivery): Promise<void> {
    const attempt = await this.attempt(delivery);
    if (this.state === 'cut-off') return;
    if (attempt.succeeded) {
      this.window.succeeded();
      this.lastOutcome = 'succeeded';
    } else {
      this.window.failed();
      this.forgetAfter(fewAtOnce); // so that new events need not wait for replays that were read before
      this.lastOutcome ??= 'failed';
    }
    if (attempt.status === goneStatus) {
      this.gone = true;
      this.state = 'stopped';
    }
    const written = this.options.results.add({ ...this.outcomeOf(delivery, attempt), ...delivery, ...attempt });
    void written.then(() => this.known.delete(delivery.eventId));
  }

  private async attempt(delivery: DueDelivery): Promise<Attempt> {
    const { open, sender, onNotSendable } = this.options;
    const { endpoint } = this;
    try {
      this.destination ??= open(endpoint);
      return await sender.send(this.destination, { id: delivery.eventId, body: deliveryBody(delivery, endpoint) });
    } catch (error) {
      onNotSendable(endpoint.id, error);
      const nothing = { status: null, answer: null, retryAfter: undefined, milliseconds: 0 };
      return { ...nothing, succeeded: false, error: 'not_sendable' };
    }
  }

  private outcomeOf({ attempts }: DueDelivery, { succeeded, retryAfter }: Attempt) {
    if (succeeded) return { outcome: 'delivered' as const, pause: null };
    const { retrySeconds, now, random } = this.options;
    const schedule = { retrySeconds, now: now(), random: random() };
    const pause = retryPause({ attempts: attempts + 1, retryAfter }, schedule);
    return pause === undefined ? { outcome: 'failed' as const, pause: null } : { outcome: 'retried' as const, pause };
  }
}
