import { findOrInstall } from './apt-get';
import { findExecutable } from './executable';
import { printLine } from './terminal-output';

/** Shown if Chromium is not installed. */
export const withoutChromium = 'Chromium is not on the PATH: the browser tests are skipped.';

/** Returns the path of Chromium or Chrome, if it is on the PATH. */
export function findChromium(): string | undefined {
  return findExecutable('chromium') ?? findExecutable('chromium-browser') ?? findExecutable('google-chrome');
}

/** Installs Chromium if it is missing and this is root on Debian. Prints what is skipped without it. */
export async function installChromium(stop: AbortSignal): Promise<void> {
  const found = await findOrInstall(findChromium, 'Chromium', 'chromium', stop);
  if (found === undefined) printLine(`${withoutChromium} On Debian: sudo apt-get install chromium`);
}
