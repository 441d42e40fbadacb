import type { Browser } from 'playwright-core';
import type { RunningProduct } from './running-product';

/** The product and the Chromium that all browser tests share, because each takes seconds to start. */
export interface RunningDemo {
  product: RunningProduct;
  browser: Browser;
}
