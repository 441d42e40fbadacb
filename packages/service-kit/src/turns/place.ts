/** The place of an active call, kept while any work for it runs, even if its caller has gone. */
export class Place {
  private works = 0;
  private over = false;
  private left = false;

  /** `giveBack` is called once. */
  constructor(private readonly giveBack: () => void) {}

  /** Runs work for the call. */
  async during<Result>(work: () => Promise<Result>): Promise<Result> {
    this.works += 1;
    try {
      return await work();
    } finally {
      this.works -= 1;
      this.leaveWhenDone();
    }
  }

  /** Declares that no more work will follow. */
  end(): void {
    this.over = true;
    this.leaveWhenDone();
  }

  /** Gives the place back, even if work is still running. */
  leave(): void {
    if (this.left) return;
    this.left = true;
    this.giveBack();
  }

  private leaveWhenDone(): void {
    if (this.over && this.works === 0) this.leave();
  }
}
