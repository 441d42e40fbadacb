import type { Surroundings } from '../surroundings';

/** A runtime without chance, whose clock moves only while everything waits: nothing that a test does takes time. */
export class FakeSurroundings implements Surroundings {
  /** What `random` returns. */
  chance = 0;
  /** The milliseconds of each timer that was not cancelled. */
  readonly waited: number[] = [];
  /** When the clock started, in milliseconds since 1970. */
  readonly start = Date.parse('2026-03-01T09:30:00Z');
  #now = 0;
  #ids = 0;

  now(): number {
    return this.#now;
  }

  date(): number {
    return this.start + this.#now;
  }

  random(): number {
    return this.chance;
  }

  randomUUID(): string {
    this.#ids += 1;
    return `session-000000000${this.#ids}`;
  }

  after(milliseconds: number, callback: () => void): () => void {
    const due = this.#now + milliseconds;
    const timer = setImmediate(() => {
      this.waited.push(milliseconds);
      this.#now = Math.max(this.#now, due);
      callback();
    });
    return () => clearImmediate(timer);
  }
}
