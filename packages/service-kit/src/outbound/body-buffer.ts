/** Collects a body in one buffer, so that a body of tiny chunks costs no more than its size. */
export class BodyBuffer {
  private bytes = Buffer.alloc(0);
  private length = 0;

  constructor(private readonly maximumBytes: number) {}

  /** Returns false, without keeping the chunk, if it would exceed the maximum. */
  append(chunk: Buffer): boolean {
    const length = this.length + chunk.length;
    if (length > this.maximumBytes) return false;
    if (length > this.bytes.length) {
      const larger = Buffer.alloc(Math.min(this.maximumBytes, Math.max(4096, length, 2 * this.bytes.length)));
      this.bytes.copy(larger, 0, 0, this.length);
      this.bytes = larger;
    }
    chunk.copy(this.bytes, this.length);
    this.length = length;
    return true;
  }

  /** The bytes collected so far. */
  content(): Buffer {
    return this.bytes.subarray(0, this.length);
  }
}
