import { describeInBrowser } from '@multi-drm/test-kit/browser/chromium';
import { type RunningDemo, startDemo } from './running-demo';
import { describeThreeTabs } from './three-tabs';

jest.setTimeout(120_000);

/** The main job. Everything else that a viewer does with the demo and with players is in `in-chromium.long.test.ts`. */
describeInBrowser('in Chromium', () => {
  let running: RunningDemo;

  beforeAll(async () => {
    running = await startDemo();
  });
  afterAll(() => running?.stop());

  describeThreeTabs(() => running);
});
