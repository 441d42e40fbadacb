interface FairGateOptions {
  /** Maximum active calls of all callers. */
  maximumActive: number;
  /** Maximum active calls of one caller. */
  maximumActiveEach: number;
  /** Maximum waiting calls of one caller; further ones are refused. */
  maximumWaitingEach: number;
  waitMilliseconds: number;
}

interface Caller {
  active: number;
  /** Each function starts one waiting call; in order of arrival. */
  waiting: Set<() => void>;
}

/** Why a call cannot start: its caller, or all callers together, have reached the maximum. */
export type NoPlace = 'caller_busy' | 'all_busy';

/**
 * Limits active calls, in total and per caller, and lets the others wait. A free place goes to the callers in turn,
 * however many calls each has waiting.
 */
export class FairGate {
  private active = 0;
  private readonly callers = new Map<string, Caller>();
  /** Callers with waiting calls that may start, the next one first. */
  private readonly turns = new Set<Caller>();

  constructor(private readonly options: FairGateOptions) {}

  /**
   * Resolves to a function that gives the place back, to be called once, or to the reason why there is none.
   * `onWaiting`: called if the call has to wait, with a function that ends the waiting of a caller who has gone.
   */
  enter(name: string, onWaiting: (giveUp: () => void) => void): Promise<(() => void) | NoPlace> {
    const { maximumActive, maximumActiveEach, maximumWaitingEach, waitMilliseconds } = this.options;
    const caller = this.callers.get(name) ?? { active: 0, waiting: new Set() };
    this.callers.set(name, caller);
    if (this.active < maximumActive && caller.active < maximumActiveEach)
      return Promise.resolve(this.start(name, caller));
    if (caller.waiting.size >= maximumWaitingEach) return Promise.resolve(this.reason(caller));

    return new Promise((resolve) => {
      const settle = (outcome: (() => void) | NoPlace): void => {
        clearTimeout(timer);
        resolve(outcome);
      };
      const proceed = (): void => settle(this.start(name, caller));
      const giveUp = (): void => {
        caller.waiting.delete(proceed);
        if (caller.waiting.size === 0) this.turns.delete(caller);
        const reason = this.reason(caller);
        this.forgetIfIdle(name, caller);
        settle(reason);
      };
      const timer = setTimeout(giveUp, waitMilliseconds).unref();
      onWaiting(giveUp);
      caller.waiting.add(proceed);
      this.queue(caller);
    });
  }

  private start(name: string, caller: Caller): () => void {
    this.active += 1;
    caller.active += 1;
    return () => {
      this.active -= 1;
      caller.active -= 1;
      this.queue(caller);
      this.startWaiting();
      this.forgetIfIdle(name, caller);
    };
  }

  private startWaiting(): void {
    while (this.active < this.options.maximumActive) {
      const [caller] = this.turns;
      const [proceed] = caller?.waiting ?? [];
      if (caller === undefined || proceed === undefined) return;
      this.turns.delete(caller);
      caller.waiting.delete(proceed);
      proceed();
      this.queue(caller); // to the end of the queue
    }
  }

  private queue(caller: Caller): void {
    if (caller.waiting.size > 0 && caller.active < this.options.maximumActiveEach) this.turns.add(caller);
  }

  private reason({ active }: Caller): NoPlace {
    return active < this.options.maximumActiveEach ? 'all_busy' : 'caller_busy';
  }

  private forgetIfIdle(name: string, { active, waiting }: Caller): void {
    if (active === 0 && waiting.size === 0) this.callers.delete(name);
  }
}
