/** Thrown from the current operation when this process must stop. */
export class StopRequest extends Error {
  override readonly name = 'StopRequest';
}

/**
 * Returns a signal that aborts when this process must stop: on Ctrl-C (which may arrive twice), SIGTERM, a closed terminal, or the end
 * of the parent, because npm does not always pass its own end on to a script. The reason is a {@link StopRequest}.
 */
export function watchForStop(): AbortSignal {
  const controller = new AbortController();
  const stop = (reason: string): void => controller.abort(new StopRequest(reason));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop(signal));
  // The output was closed, as in `npm start | head`.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => stop('closed output'));
  watchParent(() => stop('end of the parent process'));
  return controller.signal;
}

/** Calls `onEnd` when the parent process has ended, and again as long as the returned timer runs. */
export function watchParent(onEnd: () => void): NodeJS.Timeout {
  const parent = process.ppid;
  return setInterval(() => {
    if (process.ppid !== parent) onEnd();
  }, 200);
}

/** Resolves to the reason once this process must stop. */
export async function untilStopRequested(stop: AbortSignal): Promise<string> {
  if (!stop.aborted) await new Promise((resolve) => stop.addEventListener('abort', resolve, { once: true }));
  return stop.reason instanceof StopRequest ? stop.reason.message : String(stop.reason);
}
