import { findChromium, withoutChromium } from '@multi-drm/local/testing';
import { type Browser, type BrowserContext, chromium } from 'playwright-core';

const executablePath = findChromium();
if (executablePath === undefined) process.stderr.write(`${withoutChromium}\n`);

/** Skips its tests where there is no Chromium. */
export const describeInBrowser = executablePath === undefined ? describe.skip : describe;

export function launchChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: executablePath ?? '',
    args: [
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      ...['--autoplay-policy=no-user-gesture-required', '--mute-audio', '--disable-gpu', '--no-first-run'],
      ...['--disable-background-networking', '--disable-component-update', '--disable-dev-shm-usage'],
    ],
  });
}

/** Collects what no page may do: throw where nobody catches, or break the content security policy. */
export function faultsIn(context: BrowserContext): string[] {
  const faults: string[] = [];
  context.on('weberror', (error) => faults.push(String(error.error())));
  context.on('console', (message) => {
    if (/Content.Security.Policy/i.test(message.text())) faults.push(message.text());
  });
  return faults;
}
