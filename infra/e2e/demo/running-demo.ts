import { launchChromium } from '@multi-drm/test-kit/browser/chromium';
import type { Browser } from 'playwright-core';
import { RunningProduct } from './running-product';

/** The product and the Chromium that the browser tests of a suite share, because each takes seconds to start. */
export interface RunningDemo {
  product: RunningProduct;
  browser: Browser;
  stop(): Promise<void>;
}

export async function startDemo(): Promise<RunningDemo> {
  const [product, browser] = await Promise.all([RunningProduct.start(), launchChromium()]);
  const stop = async () => {
    await browser.close();
    await product.stop();
  };
  return { product, browser, stop };
}
