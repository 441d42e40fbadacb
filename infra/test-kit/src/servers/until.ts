import { setTimeout as sleep } from 'node:timers/promises';

const patienceMilliseconds = 60_000;

/** Waits until servers are in a state; rejects with the message after a minute. */
export async function until(isReached: () => Promise<boolean>, message: string): Promise<void> {
  const deadline = Date.now() + patienceMilliseconds;
  while (!(await isReached())) {
    if (Date.now() > deadline) throw new Error(message);
    await sleep(50);
  }
}
