/** A call's place among those under way, which it keeps as long as anything is done for it, be its caller gone or not. */
export class Place {
  private works = 0;
  private over = false;

  constructor(private readonly leave: () => void) {}

  /** Runs work that is done for the call. */
  async during<Result>(work: () => Promise<Result>): Promise<Result> {
    this.works += 1;
    try {
      return await work();
    } finally {
      this.works -= 1;
      this.leaveWhenDone();
    }
  }

  /** Says that no more work will come. */
  end(): void {
    if (this.over) return;
    this.over = true;
    this.leaveWhenDone();
  }

  private leaveWhenDone(): void {
    if (this.over && this.works === 0) this.leave();
  }
}
