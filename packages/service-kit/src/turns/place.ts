/** A call's place among those under way, which it keeps as long as anything is done for it, be its caller gone or not. */
export class Place {
  private works = 0;
  private over = false;
  private left = false;

  /** `giveBack` is called once. */
  constructor(private readonly giveBack: () => void) {}

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

  /** Gives the place back, be there work or not. */
  leave(): void {
    if (this.left) return;
    this.left = true;
    this.giveBack();
  }

  private leaveWhenDone(): void {
    if (this.over && this.works === 0) this.leave();
  }
}
