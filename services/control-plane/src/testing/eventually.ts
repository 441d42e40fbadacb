import { setTimeout as delay } from 'node:timers/promises';

/** Tries until the assertion holds: for what happens with nobody waiting for it. Fails after the time given. */
export async function eventually(assertion: () => Promise<void>, milliseconds = 30_000): Promise<void> {
  for (const end = Date.now() + milliseconds; ; await delay(10)) {
    try {
      return await assertion();
    } catch (error) {
      if (Date.now() > end) throw error;
    }
  }
}
