import { describeInBrowser } from '@multi-drm/test-kit/browser/chromium';
import { describeApiReference } from './api-reference';
import { describePlayers, type PlayersInUse, startPlayers } from './players';
import { type RunningDemo, startDemo } from './running-demo';
import { describeTabs } from './tabs-of-a-browser';
import { describeTitlesAndRefusals } from './titles-and-refusals';

jest.setTimeout(300_000);

describeInBrowser('in Chromium, at length', () => {
  let running: RunningDemo;
  let inUse: PlayersInUse;

  beforeAll(async () => {
    running = await startDemo();
    inUse = await startPlayers(running);
  });
  afterAll(() => running?.stop());

  // Each starts and ends with all slots of its viewers free.
  describeTabs(() => running);
  describeTitlesAndRefusals(() => running);
  describePlayers(
    () => running,
    () => inUse,
  );
  describeApiReference(() => running);
});
