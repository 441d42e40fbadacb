import type { Cluster, Redis } from 'ioredis';

/** Takes the time that the reply of a call carries. */
type Learn = (serverTime: Date) => void;

/**
 * The clock of Redis, by which everything is decided, so that processes agree and a wrong clock of their own does no harm.
 * It costs no round trip: each reply that carries a time narrows down how far the clock of this process is from it.
 */
export class RedisClock {
  /** Milliseconds from the clock of the process to that of Redis; undefined: none of its replies has come yet. */
  private offset: number | undefined;

  /** `processNow`: milliseconds since 1970, right or wrong, that go on as time does and never jump. */
  constructor(private readonly processNow: () => number) {}

  /** The present time of Redis; that of the process before the first reply. */
  now(): Date {
    return new Date(Math.floor(this.processNow() + (this.offset ?? 0)));
  }

  /** To be called before a call of Redis is sent; gives what is to be told of its reply. */
  beginCall(): Learn {
    const sentAt = this.processNow();
    return (serverTime) => {
      // The clock was read between sending and now, and cut to the millisecond. What was known stays where it lies in
      // between: so a slow reply teaches little, and a clock that was set, or another server's, is followed at once.
      const least = serverTime.getTime() - this.processNow();
      const most = serverTime.getTime() + 1 - sentAt;
      this.offset = Math.min(Math.max(this.offset ?? (least + most) / 2, least), most);
    };
  }

  /** Asks for the time: one round trip, for where no other reply tells it. */
  async synchronize(client: Redis | Cluster): Promise<void> {
    const learn = this.beginCall();
    const [seconds, microseconds] = await client.time();
    learn(new Date(Number(seconds) * 1000 + Math.floor(Number(microseconds) / 1000)));
  }
}
