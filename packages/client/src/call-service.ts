import { type Expected, readAnswer } from './answer';
import { NoAnswerError, PlaybackError, PlaybackProblem } from './playback-error';
import { pause, type Surroundings, within } from './surroundings';

/** Options of a call. */
export interface CallOptions {
  /** Ends the call and its waits; it rejects with the signal's reason, as `fetch` does. */
  signal?: AbortSignal;
  /** For all attempts together, with the waits between them. */
  deadlineMilliseconds?: number;
}

/** One call of the service, which may take several attempts. */
export interface ServiceCall extends Expected {
  url: string;
  init: RequestInit;
  fetch: (url: string, init: RequestInit) => Promise<Response>;
  signal: AbortSignal | undefined;
  deadlineMilliseconds: number;
  /** Called after each attempt without a readable answer: the service may have done what was asked. */
  onUnclear?: () => void;
}

/** A connection that got lost must not cost the time of all attempts. */
const attemptMilliseconds = 5_000;
const firstPauseMilliseconds = 500;
const longestPauseMilliseconds = 4_000;

/**
 * Calls the service, and repeats the call while a repeat may succeed and the deadline leaves time for it. Resolves to the body. Rejects with
 * the {@link PlaybackError} of the last attempt, or with the reason of the signal.
 */
export async function callService(call: ServiceCall, surroundings: Surroundings): Promise<unknown> {
  const { signal, onUnclear } = call;
  const deadline = surroundings.now() + call.deadlineMilliseconds;
  for (let attempts = 0; ; attempts += 1) {
    const pauseMilliseconds = Math.min(firstPauseMilliseconds * 2 ** attempts, longestPauseMilliseconds);
    signal?.throwIfAborted();
    try {
      return await attempt(call, Math.min(attemptMilliseconds, deadline - surroundings.now()), surroundings);
    } catch (error) {
      if (!(error instanceof PlaybackProblem)) onUnclear?.();
      signal?.throwIfAborted();
      if (!(error instanceof PlaybackError) || !error.retryable) throw error;
      // Callers that were refused together must not come back together.
      const wait =
        Math.max(pauseMilliseconds, 1000 * (error.retryAfterSeconds ?? 0)) + surroundings.random() * pauseMilliseconds;
      if (surroundings.now() + wait >= deadline) throw error;
      await pause(surroundings, wait, signal);
    }
  }
}

async function attempt(call: ServiceCall, milliseconds: number, surroundings: Surroundings): Promise<unknown> {
  const { operation, url, init, fetch, signal } = call;
  const answered = within(surroundings, milliseconds, signal, async (ended) => {
    const response = await fetch(url, { ...init, signal: ended });
    return { response, text: await response.text() };
  });
  const { response, text } = await answered.catch((cause: unknown) => {
    throw new NoAnswerError(`${operation} got no answer`, undefined, { cause });
  });
  return readAnswer(response, text, call, surroundings.date());
}
