interface CircuitBreakerOptions {
  /** Number of consecutive failures, at least 1, that open the circuit. */
  failuresToOpen: number;
  /** How long it stays open. */
  openMilliseconds: number;
  /** Milliseconds on a monotonic clock. */
  now: () => number;
}

/** The outcome of an admitted request; call exactly one of the three. */
export interface Attempt {
  succeeded(): void;
  failed(): void;
  /** The outcome says nothing about the server. */
  undecided(): void;
}

/**
 * Stops requests to a failing server (M. Nygard, Release It!, "Circuit Breaker"). Closed: all requests pass. Open: none
 * passes. After a while, a single probe passes and its outcome decides the next state. Outcomes of requests admitted
 * before the last change of state are ignored.
 */
export class CircuitBreaker {
  private failures = 0;
  private openedAt: number | undefined;
  private isProbing = false;
  /** Number of state changes. */
  private era = 0;

  constructor(private readonly options: CircuitBreakerOptions) {}

  /** Admits a request, or returns undefined if it must not be sent. */
  enter(): Attempt | undefined {
    if (this.refuses()) return undefined;
    const isProbe = this.openedAt !== undefined;
    this.isProbing = isProbe;
    const { era } = this;
    const counted = (outcome: () => void) => () => {
      if (era === this.era) outcome();
    };
    return {
      succeeded: counted(() => (isProbe ? this.change(undefined) : this.forget())),
      failed: counted(() => this.fail(isProbe)),
      undecided: counted(() => {
        this.isProbing = false;
      }),
    };
  }

  /** Whether `enter` would admit nothing now. */
  refuses(): boolean {
    return this.openedAt !== undefined && (this.isProbing || this.remainingMilliseconds() > 0);
  }

  /** Time until the next probe; 0 if it is due or the circuit is closed. */
  remainingMilliseconds(): number {
    if (this.openedAt === undefined) return 0;
    return Math.max(0, this.openedAt + this.options.openMilliseconds - this.options.now());
  }

  private forget(): void {
    this.failures = 0;
  }

  private fail(isProbe: boolean): void {
    this.failures += 1;
    if (isProbe || this.failures >= this.options.failuresToOpen) this.change(this.options.now());
  }

  private change(openedAt: number | undefined): void {
    this.openedAt = openedAt;
    this.isProbing = false;
    this.failures = 0;
    this.era += 1;
  }
}
