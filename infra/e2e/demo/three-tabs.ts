import { pageErrorsIn } from '@multi-drm/test-kit/browser/chromium';
import type { BrowserContext, Page } from 'playwright-core';
import { DemoPage } from './demo-page';
import type { RunningDemo } from './running-demo';

/** Tests a viewer's tabs at the stream limit, in order. */
export const describeThreeTabs = (running: () => RunningDemo) =>
  describe('the demo in a browser', () => {
    let context: BrowserContext;
    const tabs: DemoPage[] = [];
    let pageErrors: string[];
    /** Responses of the site's backend. */
    const answers: string[] = [];

    beforeAll(async () => {
      // A phone's width.
      context = await running().browser.newContext({ viewport: { width: 390, height: 844 } });
      pageErrors = pageErrorsIn(context);
      context.on('response', (response) => {
        if (!response.url().includes('/api/')) return;
        // The responses of a closed tab cannot be read.
        response.text().then(
          (text) => answers.push(text),
          () => undefined,
        );
      });
    });
    afterAll(async () => {
      await context?.close();
    });

    const open = async (): Promise<DemoPage> => {
      const tab = await DemoPage.open(context, running().product.quickstart.demoUrl);
      tabs.push(tab);
      return tab;
    };
    const tab = (index: number): DemoPage => tabs[index] as DemoPage;

    test('the encrypted clip plays', async () => {
      const first = await open();
      await first.screenshot('who-is-watching');
      await first.logIn('Ada');
      await first.press('Play');
      const { currentTime, frames } = await first.playsOn(1);
      expect(currentTime).toBeGreaterThan(1);
      expect(frames).toBeGreaterThan(0);
      await first.says('1 of 2 in use');
      await first.screenshot('plays');
      expect(await first.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
    });

    test('a third tab of the same viewer is refused with the reason and the active streams', async () => {
      const second = await open();
      await second.press('Play');
      await second.playsOn();
      const third = await open();
      const answer = third.page.waitForResponse(/\/api\/streams$/);
      await third.press('Play');
      expect(await (await answer).text()).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-/);
      expect(await third.refusal()).toMatch(/as many screens as your plan allows.*The limit is 2/s);
      // One list: the active streams, each with a button to play here instead.
      const streams = third.page.getByRole('listitem');
      expect(await streams.count()).toBe(2);
      for (const text of await streams.allTextContents()) {
        expect(text).toMatch(/^In a browser since .*renews by itself.*Play here instead$/);
      }
      await third.screenshot('refused');
      const played = await third.page.locator('video').evaluate((video: HTMLVideoElement) => video.currentTime);
      expect(played).toBe(0);
    });

    test('Stop frees the slot, and the third tab then plays', async () => {
      await tab(0).press('Stop');
      await tab(0).says('Your stream is free for another screen');
      await tab(2).press('Play');
      expect((await tab(2).playsOn()).frames).toBeGreaterThan(0);
      await tab(2).says('2 of 2 in use');
    });

    test('closing a tab frees its slot', async () => {
      await tab(2).says('2 of 2 in use');
      await tab(1).close();
      await tab(2).says('1 of 2 in use');
    });

    test('a session that the backend terminated gets no further license, and its tab shows why', async () => {
      const fourth = await open();
      const asked = fourth.page.waitForRequest(/\/licenses\//);
      await fourth.press('Play');
      const request = await asked;
      await fourth.playsOn();
      const license = {
        url: request.url(),
        body: request.postData() ?? '',
        authorization: (await request.allHeaders()).authorization ?? '',
      };
      expect((await askForLicense(fourth.page, license)).status).toBe(200);

      await tab(0).says('2 of 2 in use');
      // Oldest first.
      await tab(0).page.getByRole('button', { name: 'Stop the stream since' }).last().click();
      await fourth.says('This stream was stopped from another screen.');
      expect(await askForLicense(fourth.page, license)).toEqual({ status: 403, code: 'session_terminated' });
      await fourth.screenshot('stopped-from-another-screen');
    });

    test('the end of the clip frees the slot', async () => {
      await tab(2).page.getByLabel('Repeat').uncheck();
      const video = tab(2).page.locator('video');
      await video.evaluate((playing: HTMLVideoElement) => {
        playing.currentTime = playing.duration - 1;
      });
      await tab(2).says('The clip has ended');
      await tab(2).says('0 of 2 in use');
    });

    test('the last events are shown in words', async () => {
      await tab(2).page.getByText('Your last events').click();
      await tab(2).says('A stream ended');
      await tab(2).says(/\. It was stopped, the clip ended, or its tab was closed\.$/);
      await tab(2).screenshot('last-events');
    });

    test('the streams of all viewers are counted, with the curve of the day', async () => {
      const { page } = tab(2);
      await page.getByText('For the company: all streams').click();
      await tab(2).says(/^\d+ of \d+ now, [1-9]\d* at today's peak$/);
      const points = (await page.locator('#curve polyline').getAttribute('points')) ?? '';
      expect(points.split(' ').length).toBeGreaterThan(10);
      await tab(2).says(/^From .+ until .+$/);
      await tab(2).screenshot('all-streams');
    });

    test('the keys stay with the backend', () => {
      const { apiClient, eventsKey } = running().product.quickstart;
      const backendKeys = [apiClient.accessKey, eventsKey];
      expect(answers.filter((text) => text.includes('session.ended'))).not.toEqual([]);
      expect(answers.filter((text) => backendKeys.some((key) => text.includes(key)))).toEqual([]);
    });

    test('no page threw an uncaught error or violated the content security policy', () => {
      expect(pageErrors).toEqual([]);
    });
  });

/** Repeats the player's license request from its page. */
function askForLicense(
  page: Page,
  license: { url: string; body: string; authorization: string },
): Promise<{ status: number; code: string | null }> {
  return page.evaluate(async ({ url, body, authorization }) => {
    const response = await fetch(url, { method: 'POST', headers: { Authorization: authorization }, body });
    const answer = (await response.json()) as { code?: string };
    return { status: response.status, code: answer.code ?? null };
  }, license);
}
