const widest = 16;

/** How many messages may be on their way to an endpoint at the same time: one more after each success, one after a failure. */
export class SendWindow {
  private size = 1;

  get current(): number {
    return this.size;
  }

  succeeded(): void {
    this.size = Math.min(widest, this.size + 1);
  }

  failed(): void {
    this.size = 1;
  }
}
