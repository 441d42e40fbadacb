import { setTimeout as delay } from 'node:timers/promises';

/** Retries until the assertion holds, for effects that happen in the background. Fails after the given time. */
export async function eventually(assertion: () => Promise<void>, milliseconds = 30_000): Promise<void> {
  for (const end = Date.now() + milliseconds; ; await delay(10)) {
    try {
      return await assertion();
    } catch (error) {
      if (Date.now() > end) throw error;
    }
  }
}
