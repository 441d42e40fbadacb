import type { Browser } from 'playwright-core';
import type { RunningProduct } from './running-product';

/** One product and one Chromium for all that is tried in a browser: each takes seconds to start. */
export interface RunningDemo {
  product: RunningProduct;
  browser: Browser;
}
