import { describeInBrowser, launchChromium } from '@multi-drm/test-kit/browser/chromium';
import { describeApiReference } from './api-reference';
import { describePlayers, type PlayersInUse, startPlayers } from './players';
import type { RunningDemo } from './running-demo';
import { RunningProduct } from './running-product';
import { describeTabs } from './tabs-of-a-browser';
import { describeTitlesAndRefusals } from './titles-and-refusals';

jest.setTimeout(300_000);

describeInBrowser('in Chromium, at length', () => {
  let running: RunningDemo;
  let inUse: PlayersInUse;

  beforeAll(async () => {
    const [product, browser] = await Promise.all([RunningProduct.start(), launchChromium()]);
    running = { product, browser };
    inUse = await startPlayers(running);
  });
  afterAll(async () => {
    await running?.browser.close();
    await running?.product.stop();
  });

  // Each starts and ends with all slots of its viewers free.
  describeTabs(() => running);
  describeTitlesAndRefusals(() => running);
  describePlayers(
    () => running,
    () => inUse,
  );
  describeApiReference(() => running);
});
