import { until } from '@multi-drm/test-kit/servers/until';
import { type CustomerSite, countSessions, startCustomerSite, subjectOf } from './customer-site';
import { playerLibraries, videoJsWithHls, wholePage } from './player-page';
import { type PlayerWindow, patience, plays, type Story, useForLong } from './players-in-use';
import { playRefused, refusals, refuseMeanwhile } from './refused-licenses';
import type { RunningDemo } from './running-demo';

/** What players do while the other tests run, because it takes more than a minute, in which they mostly wait. */
export interface PlayersInUse {
  site: CustomerSite;
  stories: Map<string, Promise<Story>>;
  refused: Map<string, ReturnType<typeof playRefused>>;
}

/** Starts all players, side by side. */
export async function startPlayers({ product, browser }: RunningDemo): Promise<PlayersInUse> {
  const site: CustomerSite = await startCustomerSite(
    product,
    refuseMeanwhile(product, () => site.playback),
  );
  const stories = new Map(
    playerLibraries.map((library) => [library.name, useForLong(browser, site, library)] as const),
  );
  // One after the other, because these load all the time.
  let last: Promise<unknown> = Promise.resolve();
  const refused = new Map(
    playerLibraries.map((library) => {
      const played = last.then(() => playRefused(browser, site, library));
      last = played.catch(() => undefined);
      return [library.name, played] as const;
    }),
  );
  // Their tests wait for them later.
  for (const story of stories.values()) story.catch(() => undefined);
  return { site, stories, refused };
}

/** Tests each library on a customer's page, with the code of `docs/player.md`. */
export const describePlayers = (running: () => RunningDemo, inUse: () => PlayersInUse) =>
  describe('players with the package of docs/player.md', () => {
    const four = playerLibraries.map(({ name }) => ({ name }));

    test.each(four)('$name renews, outlasts ten seconds offline and leaves no slot', async ({ name }) => {
      const story = await inUse().stories.get(name);
      expect(story?.sessions[1]).toBe(story?.sessions[0]);
      expect(story).toMatchObject({ maximumSlots: 1, slotsAfterClose: 0, ends: [], pageErrors: [] });
    });

    test.each(four)(
      '$name plays on in a new session after thirty seconds offline, and not without one',
      async ({ name }) => {
        const story = await inUse().stories.get(name);
        expect(new Set(story?.sessions.slice(1)).size).toBe(3);
        expect(story).toMatchObject({ pausedWithoutSession: true, returnedFromCache: true, moved: 0 });
      },
    );

    test.each(four)('$name tells the page why it gets no license, and releases its session', async ({ name }) => {
      const expected = Object.entries(refusals).map(([reason, code]) => [reason, [code]]);
      expect(await inUse().refused.get(name)).toEqual({ ends: Object.fromEntries(expected), left: 0 });
    });

    test('video.js with HLS plays, too', async () => {
      const page = await running().browser.newPage();
      await page.goto(inUse().site.urlOf(videoJsWithHls));
      await page.evaluate(() => (globalThis as unknown as PlayerWindow).start('startVideoJs', 'clip'));
      await plays(page);
      await page.close({ runBeforeUnload: true });
    });

    test('the whole page of docs/player.md says why a license was refused', async () => {
      const page = await running().browser.newPage();
      const problem = { code: 'subject_blocked', retryable: false };
      await page.route('**/licenses/*', (route) =>
        route.fulfill({ status: 403, headers: { 'Access-Control-Allow-Origin': '*' }, json: problem }),
      );
      await page.goto(inUse().site.urlOf(wholePage));
      await page.click('#play');
      await page.locator('#why:not(:empty)').waitFor(patience);
      expect(await page.textContent('#why')).toBe('Your account cannot play videos. Please contact support.');
      await page.close({ runBeforeUnload: true });
    });

    test('the whole page of docs/player.md plays, says why it ended, and leaves no slot', async () => {
      const { site } = inUse();
      const subject = subjectOf(wholePage, 'demo-movie');
      const page = await running().browser.newPage();
      await page.goto(site.urlOf(wholePage));
      const start = async () => {
        await page.click('#play');
        await plays(page);
      };
      await start();
      for await (const { sessionId } of site.playback.listSessions({ subject })) {
        await site.playback.terminateSession({ sessionId, subject });
      }
      await page.getByText('Playback was stopped.').waitFor(patience);
      await start();
      await page.close({ runBeforeUnload: true });
      await until(async () => (await countSessions(site, subject)) === 0, 'the page held its slot after it was closed');
    });
  });
