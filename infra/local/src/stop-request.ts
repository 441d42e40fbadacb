/** Thrown out of whatever is going on when this process is to stop. */
export class StopRequest extends Error {
  override readonly name = 'StopRequest';
}

/**
 * A signal that aborts, once, when this process is to stop: Ctrl-C (which may arrive twice), SIGTERM, a closed terminal, or the
 * end of the parent, since npm does not pass every end of its own on to a script. The reason is a {@link StopRequest}.
 */
export function watchForStop(): AbortSignal {
  const controller = new AbortController();
  const stop = (reason: string): void => controller.abort(new StopRequest(reason));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop(signal));
  // Nobody reads any more, as in `npm start | head`.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => stop('closed output'));
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) stop('end of the parent process');
  }, 200);
  return controller.signal;
}

/** Resolves to the reason once this process is to stop. */
export async function untilStopRequested(stop: AbortSignal): Promise<string> {
  if (!stop.aborted) await new Promise((resolve) => stop.addEventListener('abort', resolve, { once: true }));
  return stop.reason instanceof StopRequest ? stop.reason.message : String(stop.reason);
}
