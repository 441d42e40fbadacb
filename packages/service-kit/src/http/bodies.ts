import type { IncomingMessage } from 'node:http';
import { Problem } from '@multi-drm/contracts';

/** Maximum size of a request body in bytes, before and after decompression. */
export const maximumBodyBytes = 64 * 1024;

/** Bytes that the incomplete bodies of a process may take together. */
const defaultMaximumIncompleteBytes = 32 * 1024 * 1024;

/** Parts that a body may arrive in: each one takes 2 to 3 µs, even if it brings a single byte. */
const maximumParts = 2_048;

/** The first allocation for a body that arrives in parts. */
const firstCapacity = 1_024;

/** What became of a body: its bytes, compressed if the caller compressed them, or why they were not kept. */
type Received = Buffer | Problem;

/** RFC 9112, section 6: a body is announced by one of two headers. */
export function hasBody({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** The problem for a body of more than this many bytes. */
export function bodyTooLarge(maximumBytes: number): Problem {
  return new Problem('request_too_large', `The body must not exceed ${maximumBytes} bytes.`);
}

/**
 * Receives request bodies as bytes. Nothing is parsed or decompressed, so that it costs the same for every caller. While
 * they arrive, bodies share a limited amount of memory: if it is used up, the oldest one is given up.
 */
export class Bodies {
  private readonly received = new WeakMap<IncomingMessage, Received>();
  /** Each function gives up one incomplete body; the oldest first. */
  private readonly incomplete = new Set<IncompleteBody>();
  private incompleteBytes = 0;

  constructor(private readonly maximumIncompleteBytes = defaultMaximumIncompleteBytes) {}

  /**
   * Returns a promise that resolves when the body has arrived, or undefined if there is nothing to wait for. A body that
   * is too large is read to its end and discarded, because most clients read no response before they have sent
   * everything. One in too many parts is not: its connection is closed. If the connection breaks, the promise stays
   * pending: there is nobody to answer.
   */
  receive(request: IncomingMessage, maximumBytes = maximumBodyBytes): Promise<void> | undefined {
    if (!hasBody(request) || this.received.has(request)) return undefined;
    return new Promise((resolve) => {
      const settle = (received: Received) => {
        this.received.set(request, received);
        resolve();
      };
      const length = Number(request.headers['content-length']);
      let body: IncompleteBody | undefined;
      let outcome: Received | undefined;
      let parts = 0;
      const refuse = (problem: Problem) => {
        outcome = problem;
        settle(problem);
      };
      request.on('data', (part: Buffer) => {
        parts += 1;
        if (parts > maximumParts && !this.received.has(request)) {
          if (body !== undefined) this.end(body);
          refuse(inTooManyParts());
        }
        if (outcome !== undefined) return;
        // Most bodies arrive in one part.
        if (body === undefined && part.length === length && length <= maximumBytes) {
          outcome = part;
          return;
        }
        body ??= this.begin(maximumBytes, () => refuse(tooManyIncomplete()));
        if (body.length + part.length > maximumBytes) {
          outcome = bodyTooLarge(maximumBytes);
          this.end(body);
        } else {
          this.append(body, part);
        }
      });
      request.once('end', () => {
        outcome ??= body?.bytes() ?? nothing;
        if (body !== undefined) this.end(body);
        settle(outcome);
      });
      request.once('close', () => {
        if (body !== undefined) this.end(body);
      });
    });
  }

  /** The bytes of a body that was received; empty if there was none. Throws the problem if they were not kept. */
  bytesOf(request: IncomingMessage): Buffer {
    const received = this.received.get(request) ?? nothing;
    if (received instanceof Problem) throw received;
    return received;
  }

  private begin(maximumBytes: number, giveUp: () => void): IncompleteBody {
    const body = new IncompleteBody(maximumBytes, giveUp);
    this.incomplete.add(body);
    return body;
  }

  private append(body: IncompleteBody, part: Buffer): void {
    this.incompleteBytes += body.append(part);
    while (this.incompleteBytes > this.maximumIncompleteBytes) {
      const [oldest] = this.incomplete;
      if (oldest === undefined) return;
      this.end(oldest);
      oldest.giveUp();
    }
  }

  private end(body: IncompleteBody): void {
    if (!this.incomplete.delete(body)) return;
    this.incompleteBytes -= body.capacity;
    body.clear();
  }
}

const nothing = Buffer.alloc(0);

const closeConnection = { headers: { Connection: 'close' } };

const inTooManyParts = () =>
  new Problem(
    'request_too_large',
    `The body must not arrive in more than ${maximumParts} parts. Send larger chunks.`,
    closeConnection,
  );

const tooManyIncomplete = () =>
  new Problem('service_unavailable', 'Too many requests with incomplete bodies are in progress.', closeConnection);

/**
 * A body that arrives in parts. They are copied into one buffer: each part is an object of some hundred bytes, and may
 * bring a single byte of the body.
 */
class IncompleteBody {
  private buffer = nothing;
  length = 0;

  /** `giveUp` is called if the memory is needed for other bodies. */
  constructor(
    private readonly maximumBytes: number,
    readonly giveUp: () => void,
  ) {}

  get capacity(): number {
    return this.buffer.length;
  }

  /** Returns how many bytes of memory were added. */
  append(part: Buffer): number {
    const length = this.length + part.length;
    const before = this.capacity;
    if (length > before) {
      const doubled = Math.min(Math.max(firstCapacity, 2 * before), this.maximumBytes);
      const larger = Buffer.allocUnsafeSlow(Math.max(doubled, length));
      this.buffer.copy(larger, 0, 0, this.length);
      this.buffer = larger;
    }
    part.copy(this.buffer, this.length);
    this.length = length;
    return this.capacity - before;
  }

  bytes(): Buffer {
    return this.buffer.subarray(0, this.length);
  }

  clear(): void {
    this.buffer = nothing;
  }
}
