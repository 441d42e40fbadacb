/** What the client uses of the runtime. Tests replace it. */
export interface Surroundings {
  /** Milliseconds of a clock that nobody sets. */
  now(): number;
  /** Milliseconds since 1970. */
  date(): number;
  /** From 0 to less than 1. */
  random(): number;
  randomUUID(): string;
  /** Calls back once, unless the returned function has been called before. */
  after(milliseconds: number, callback: () => void): () => void;
}

/** Those of Node 20 and newer, and of other runtimes with `fetch`. */
export const runtime: Surroundings = {
  now: () => performance.now(),
  date: () => Date.now(),
  random: () => Math.random(),
  randomUUID: () => crypto.randomUUID(),
  after: (milliseconds, callback) => {
    const timer = setTimeout(callback, milliseconds);
    return () => clearTimeout(timer);
  },
};

/** Waits, and stops waiting when the signal is aborted. */
export function pause(surroundings: Surroundings, milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      cancel();
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const cancel = surroundings.after(milliseconds, end);
    signal?.addEventListener('abort', end);
  });
}

/** Gives work a time, and a signal that is aborted with the caller's or when the time is over. Rejects then, even if the work goes on. */
export async function within<Result>(
  surroundings: Surroundings,
  milliseconds: number,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const end = new AbortController();
  const abort = () => end.abort(signal?.reason);
  const cancel = surroundings.after(milliseconds, () =>
    end.abort(new Error(`no answer within ${Math.round(milliseconds)} ms`)),
  );
  signal?.addEventListener('abort', abort);
  const ended = new Promise<never>((_, reject) => {
    end.signal.addEventListener('abort', () => reject(end.signal.reason));
  });
  try {
    return await Promise.race([work(end.signal), ended]);
  } finally {
    cancel();
    signal?.removeEventListener('abort', abort);
  }
}
