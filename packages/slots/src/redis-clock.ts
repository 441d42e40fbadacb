import type { Cluster, Redis } from 'ioredis';

/** The smallest change, in milliseconds, that counts as a step. Clocks drift less than this even if no reply comes for hours. */
const leastStep = 1_000;

/** Accepts the time in the reply of a call. */
type Learn = (serverTime: Date) => void;

/**
 * The clock of Redis. All decisions use it, so that processes agree and a wrong clock of a process is harmless. It needs no round
 * trips of its own: each reply that contains a time refines the offset from the clock of this process.
 */
export class RedisClock {
  /** Milliseconds by which Redis is ahead of the process; undefined before the first reply. */
  private offset: number | undefined;

  /**
   * `processNow`: monotonic milliseconds since 1970, which may be off. `onStep`: called with the milliseconds by which the clock of Redis
   * has moved against it, if it is more than a second.
   */
  constructor(
    private readonly processNow: () => number,
    private readonly onStep: (milliseconds: number) => void = () => undefined,
  ) {}

  /** The current time of Redis; before the first reply, that of the process. */
  now(): Date {
    return new Date(Math.floor(this.processNow() + (this.offset ?? 0)));
  }

  /** To be called before a command is sent; returns the function to call with the time in its reply. */
  beginCall(): Learn {
    const sentAt = this.processNow();
    return (serverTime) => {
      // Redis read its clock between sending and now, truncated to the millisecond, which bounds the offset. The known offset is
      // only clamped to these bounds: a slow reply changes little, and a clock that was set, or another server's, is adopted at once.
      const least = serverTime.getTime() - this.processNow();
      const most = serverTime.getTime() + 1 - sentAt;
      const known = this.offset ?? (least + most) / 2;
      this.offset = Math.min(Math.max(known, least), most);
      const step = this.offset - known;
      if (step > leastStep || step < -leastStep) this.onStep(step);
    };
  }

  /** Reads the time in one round trip, for when no other reply contains it. */
  async synchronize(client: Redis | Cluster): Promise<void> {
    const learn = this.beginCall();
    learn(await readTime(client));
  }
}

/** Reads the time of Redis in one round trip, truncated to the millisecond; on a cluster, that of one node. */
export async function readTime(client: Redis | Cluster): Promise<Date> {
  const [seconds, microseconds] = await client.time();
  return new Date(Number(seconds) * 1000 + Math.floor(Number(microseconds) / 1000));
}
