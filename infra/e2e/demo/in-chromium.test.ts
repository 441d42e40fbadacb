import { describeInBrowser, launchChromium } from '@multi-drm/test-kit/browser/chromium';
import type { RunningDemo } from './running-demo';
import { RunningProduct } from './running-product';
import { describeThreeTabs } from './three-tabs';

jest.setTimeout(120_000);

/** The main job. Everything else that a viewer does with the demo and with players is in `in-chromium.long.test.ts`. */
describeInBrowser('in Chromium', () => {
  let running: RunningDemo;

  beforeAll(async () => {
    const [product, browser] = await Promise.all([RunningProduct.start(), launchChromium()]);
    running = { product, browser };
  });
  afterAll(async () => {
    await running?.browser.close();
    await running?.product.stop();
  });

  describeThreeTabs(() => running);
});
