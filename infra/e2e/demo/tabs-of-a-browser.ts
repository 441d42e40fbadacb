import { pageErrorsIn } from '@multi-drm/test-kit/browser/chromium';
import type { BrowserContext } from 'playwright-core';
import { DemoPage } from './demo-page';
import type { RunningDemo } from './running-demo';

const states = '**/api/state';

/** Tests tabs that share a browser; each test opens its own. */
export const describeTabs = (running: () => RunningDemo) =>
  describe('tabs of the demo that share a browser', () => {
    let context: BrowserContext;
    let pageErrors: string[];

    beforeEach(async () => {
      context = await running().browser.newContext({ viewport: { width: 360, height: 740 } });
      pageErrors = pageErrorsIn(context);
    });
    afterEach(async () => {
      // Closed like viewers do, so that each test starts with all slots free.
      for (const page of context.pages()) await new DemoPage(page).close();
      await context.close();
      expect(pageErrors).toEqual([]);
    });

    const open = (): Promise<DemoPage> => DemoPage.open(context, running().product.quickstart.demoUrl);
    const openAsAda = async (): Promise<DemoPage> => {
      const tab = await open();
      await tab.logIn('Ada');
      return tab;
    };

    test('logging out in one tab stops the other one, releases its stream and shows why', async () => {
      const first = await openAsAda();
      await first.press('Play');
      await first.playsOn();
      const second = await open();
      const released = first.released();
      await second.press('Log out');
      expect(await released).toBe(204);
      await first.says('You were logged out in another tab');
      expect(await first.plays()).toBe(false);
      await first.screenshot('logged-out-in-another-tab');
      await first.logIn('Ada');
      await first.says('0 of 2 in use');
    });

    test("logging in as another viewer stops the first viewer's stream and shows who is logged in now", async () => {
      const first = await openAsAda();
      await first.press('Play');
      await first.playsOn();
      // The playing tab is notified of the logout and the login at once.
      await first.page.route(states, (route) => route.abort());
      const second = await open();
      await second.press('Log out');
      await second.logIn('Ben');
      const released = first.released();
      await first.page.unroute(states);
      expect(await released).toBe(204);
      await first.says('where Ben logged in');
      await first.says('Watching as Ben');
      expect(await first.plays()).toBe(false);
      await first.says('0 of 2 in use');
      await first.press('Log out');
      await first.logIn('Ada');
      await first.says('0 of 2 in use');
    });

    test('a tab that still shows another viewer cannot start a stream for the logged-in one', async () => {
      const first = await openAsAda();
      await first.page.route(states, (route) => route.abort());
      const second = await open();
      await second.press('Log out');
      await second.logIn('Ben');
      const answer = first.page.waitForResponse(/\/api\/streams$/);
      await first.press('Play');
      expect((await answer).status()).toBe(409);
      await first.page.unroute(states);
      await first.says('where Ben logged in');
      await second.says('0 of 2 in use');
    });

    test('a stream stopped offline is released once the network is back', async () => {
      const tab = await openAsAda();
      await tab.press('Play');
      await tab.playsOn();
      await context.setOffline(true);
      await tab.says('The service cannot be reached');
      await tab.press('Stop');
      await tab.says('Stopped. Your stream is free once the service can be reached.');
      await tab.screenshot('offline');
      await tab.press('Play');
      await tab.says('Not playing, because the service could not be reached.');
      const released = tab.released();
      await context.setOffline(false);
      expect(await released).toBe(204);
      await tab.page.getByText('The service cannot be reached').waitFor({ state: 'hidden' });
      await tab.says('0 of 2 in use');
    });

    test('a reloaded tab continues to play, also at the limit', async () => {
      const first = await openAsAda();
      const second = await open();
      for (const tab of [first, second]) {
        await tab.press('Play');
        await tab.playsOn();
      }
      // The unloading page cannot send its release, so the slot is still taken.
      await second.page.evaluate(() => {
        navigator.sendBeacon = () => false;
      });
      await second.page.reload();
      await second.playsOn();
      await second.says('2 of 2 in use');
      await second.press('Stop');
      await second.page.reload();
      await second.says('Nothing plays yet.');
    });

    test('a refusal offers to replace a stream, and disappears when a slot is free', async () => {
      const [first, second, third] = [await openAsAda(), await open(), await open()];
      for (const tab of [first, second]) {
        await tab.press('Play');
        await tab.playsOn();
      }
      await third.press('Play');
      expect(await third.refusal()).toContain('as many screens as your plan allows');
      await third.page.getByRole('button', { name: 'and play here instead' }).first().click();
      await third.playsOn();
      expect(await third.focused()).toBe('stop');
      await first.says('This stream was stopped from another screen.');

      await first.press('Play');
      await first.refusal();
      await second.press('Stop');
      await first.says('A stream is free now. Press Play.');
      expect(await first.page.getByRole('alert').isVisible()).toBe(false);
      await third.press('Stop');
      await third.says('0 of 2 in use');
    });

    test('the clip repeats, its stream is renewed, and the useful button gets the focus', async () => {
      await context.clock.install();
      const tab = await openAsAda();
      const video = tab.page.locator('video');
      expect(await video.getAttribute('controls')).toBeNull();
      await tab.says('0 of 2 in use');
      await tab.press('Play');
      await tab.playsOn();
      expect(await tab.focused()).toBe('stop');
      await video.evaluate((playing: HTMLVideoElement) => {
        playing.currentTime = playing.duration - 1;
      });
      await tab.page.waitForFunction(() => {
        const playing = document.querySelector('video');
        return playing !== null && playing.currentTime > 1 && playing.currentTime < 10;
      });
      await video.evaluate((playing: HTMLVideoElement) => playing.pause());
      await tab.says('Paused.');
      await tab.page.getByText('For developers: this tab').click();
      await tab.says('renews by itself, else in');
      // When it is due.
      await tab.page.clock.fastForward(10_000);
      await tab.says(/[1-9]\d* times?, every 10 s/);
      await tab.screenshot('paused');
      await tab.press('Stop');
      expect(await tab.focused()).toBe('play');
      await tab.says('0 of 2 in use');
    });

    test('the page fits a phone and fills a wide screen', async () => {
      const tab = await openAsAda();
      await tab.press('Play');
      await tab.playsOn();
      const other = await open();
      await other.press('Play');
      await other.playsOn();
      const refused = await open();
      await refused.press('Play');
      await refused.refusal();
      for (const width of [360, 1440]) {
        for (const [name, page] of Object.entries({ plays: tab, refused })) {
          await page.page.setViewportSize({ width, height: 800 });
          expect(await page.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
          await page.screenshot(`${name}-${width}`);
        }
      }
    });
  });
