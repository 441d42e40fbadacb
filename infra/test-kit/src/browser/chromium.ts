import { findChromium, withoutChromium } from '@multi-drm/local/chromium-program';
import { type Browser, type BrowserContext, chromium } from 'playwright-core';

const executablePath = findChromium();
if (executablePath === undefined) process.stderr.write(`${withoutChromium}\n`);

/** Skips its tests if there is no Chromium. */
export const describeInBrowser = executablePath === undefined ? describe.skip : describe;

export function launchChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: executablePath ?? '',
    // Like in viewers' browsers, pages return from the back/forward cache.
    ignoreDefaultArgs: ['--disable-back-forward-cache'],
    args: [
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      ...['--autoplay-policy=no-user-gesture-required', '--mute-audio', '--disable-gpu', '--no-first-run'],
      ...['--disable-background-networking', '--disable-component-update', '--disable-dev-shm-usage'],
      // Tabs of one site share a process, which takes a fifth less processor time.
      ...['--process-per-site', '--disable-site-isolation-trials'],
    ],
  });
}

/** Collects uncaught errors and violations of the content security policy on all pages. */
export function pageErrorsIn(context: BrowserContext): string[] {
  const errors: string[] = [];
  context.on('weberror', (error) => errors.push(String(error.error())));
  context.on('console', (message) => {
    if (/Content.Security.Policy/i.test(message.text())) errors.push(message.text());
  });
  return errors;
}
