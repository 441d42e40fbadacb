import { setImmediate as pendingWork } from 'node:timers/promises';
import type { Page } from '../page';

type Listener = Parameters<Page['addEventListener']>[1];

/** A page whose clock and network a test controls. Its timers run when the test moves the clock. */
export class SimulatedPage implements Page {
  private milliseconds = 0;
  private readonly timers = new Map<number, { due: number; run: () => void }>();
  private lastTimer = 0;
  private readonly listeners: { type: string; listener: Listener }[] = [];
  readonly beacons: string[][] = [];
  readonly document = { hidden: false };
  readonly performance = { now: () => this.milliseconds };
  readonly navigator = { sendBeacon: (...beacon: string[]) => this.beacons.push(beacon) > 0 };

  /** @param fetch plays the service */
  constructor(readonly fetch: Page['fetch']) {}

  setTimeout(run: () => void, milliseconds: number): number {
    this.lastTimer += 1;
    this.timers.set(this.lastTimer, { due: this.milliseconds + milliseconds, run });
    return this.lastTimer;
  }

  clearTimeout(timer: number): void {
    this.timers.delete(timer);
  }

  addEventListener(type: string, listener: Listener): void {
    this.listeners.push({ type, listener });
  }

  removeEventListener(type: string, listener: Listener): void {
    const index = this.listeners.findIndex((known) => known.type === type && known.listener === listener);
    if (index >= 0) this.listeners.splice(index, 1);
  }

  /** How many listeners and timers there are: none after the end. */
  get leftovers(): number {
    return this.listeners.length + this.timers.size;
  }

  async dispatch(type: string, event = {}): Promise<void> {
    for (const known of [...this.listeners]) if (known.type === type) known.listener(event);
    await pendingWork();
  }

  async moveTo(seconds: number): Promise<void> {
    await pendingWork();
    for (;;) {
      const next = [...this.timers].sort(([, one], [, other]) => one.due - other.due)[0];
      if (next === undefined || next[1].due > seconds * 1000) break;
      const [timer, { due, run }] = next;
      this.timers.delete(timer);
      this.milliseconds = Math.max(due, this.milliseconds);
      run();
      await pendingWork();
    }
    this.milliseconds = seconds * 1000;
  }
}

/** A video element without media. */
export class SimulatedVideo {
  paused = true;
  currentTime = 0;
  private readonly listeners = new Map<string, Set<() => void>>();

  async play(): Promise<void> {
    this.paused = false;
    this.dispatch('play');
  }

  pause(): void {
    this.paused = true;
  }

  addEventListener(type: string, listener: () => void): void {
    this.listeners.set(type, (this.listeners.get(type) ?? new Set()).add(listener));
  }

  removeEventListener(type: string, listener: () => void): void {
    this.listeners.get(type)?.delete(listener);
  }

  dispatch(type: string): void {
    for (const listener of [...(this.listeners.get(type) ?? [])]) listener();
  }
}
