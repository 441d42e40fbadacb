/** A wait that others can end early. */
export class Pause {
  private endNow: () => void = () => undefined;
  private endSoon: () => void = () => undefined;

  /**
   * Resolves after the time in milliseconds, or when the pause is ended. `least`: minimum time before `shorten` can end
   * it.
   */
  async wait(milliseconds: number, least = 0): Promise<void> {
    const since = performance.now();
    await new Promise<void>((resolve) => {
      let timer = setTimeout(resolve, milliseconds);
      this.endNow = () => {
        clearTimeout(timer);
        resolve();
      };
      this.endSoon = () => {
        clearTimeout(timer);
        const waited = performance.now() - since;
        timer = setTimeout(resolve, Math.max(0, Math.min(least, milliseconds) - waited));
      };
    });
  }

  /** Ends the pause, if there is one. */
  end(): void {
    this.endNow();
  }

  /** Ends the pause, if there is one, once its `least` time is over. */
  shorten(): void {
    this.endSoon();
  }
}
