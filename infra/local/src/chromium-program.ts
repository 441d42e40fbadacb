import { canInstallWithApt, installWithApt } from './apt-get';
import { findExecutable } from './executable';
import { say } from './message';

/** What the browser tests need, for those who cannot have it installed. */
export const withoutChromium = 'Chromium is not on the PATH: the browser tests are skipped.';

/** The Chromium (or Chrome) on the PATH; undefined where there is none. */
export function findChromium(): string | undefined {
  return findExecutable('chromium') ?? findExecutable('chromium-browser') ?? findExecutable('google-chrome');
}

/** On Debian root installs a Chromium where there is none; where that fails the reader is told what is skipped. */
export async function installChromium(stop: AbortSignal): Promise<void> {
  if (findChromium() !== undefined) return;
  if (canInstallWithApt()) {
    say('Chromium is not installed: installing it with apt-get install chromium');
    await installWithApt('chromium', stop);
    if (findChromium() !== undefined) return;
  }
  say(`${withoutChromium} On Debian: sudo apt-get install chromium`);
}
