/** When the next message may leave, so that no second has more than a number of them. */
export class SendPace {
  private next = Number.NEGATIVE_INFINITY;

  /** `now`: monotonic milliseconds. */
  constructor(private readonly now: () => number) {}

  /** Takes the next place and returns how long it is until then, in milliseconds. `perSecond`: null: no limit. */
  take(perSecond: number | null): number {
    const now = this.now();
    const at = Math.max(now, this.next);
    this.next = perSecond === null ? now : at + 1000 / perSecond;
    return at - now;
  }
}
