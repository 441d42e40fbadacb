import { setTimeout as delay } from 'node:timers/promises';
import { pageErrorsIn } from '@multi-drm/test-kit/browser/chromium';
import { until } from '@multi-drm/test-kit/servers/until';
import type { Browser, Page } from 'playwright-core';
import { type CustomerSite, countSessions, subjectOf } from './customer-site';
import type { PlayerLibrary } from './player-page';

/** The globals of the page's script. */
export interface PlayerWindow {
  start(name: string, contentId: string): Promise<void>;
  shown: {
    ends: string[];
    moved: number;
    returned: boolean;
    keeper: { waiting: boolean; session: { sessionId: string } };
  };
}

export const patience = { timeout: 60_000 };
const contentId = 'clip';

/** What happened to a player in use. */
export interface Story {
  /** The session's id: at the start, after ten seconds without a network, after thirty, and after the return from the cache. */
  sessions: string[];
  /** Whether the video was paused at the end of the thirty seconds. */
  pausedWithoutSession: boolean;
  /** Whether the browser restored the page, instead of loading it again. */
  returnedFromCache: boolean;
  /** How often the video moved while there was no session. */
  moved: number;
  maximumSlots: number;
  slotsAfterClose: number;
  ends: string[];
  pageErrors: string[];
}

/**
 * Uses a player like a viewer: it renews twice, is offline for ten seconds, and for thirty, which is longer than a session lasts, leaves the
 * page and returns to it, and closes the tab.
 */
export async function useForLong(browser: Browser, site: CustomerSite, library: PlayerLibrary): Promise<Story> {
  const context = await browser.newContext();
  const pageErrors = pageErrorsIn(context);
  const page = await context.newPage();
  const subject = subjectOf(library, contentId);
  const slots = new SlotCount(site, subject);
  let renewals = 0;
  page.on('response', (response) => {
    if (response.url().endsWith('/renew') && response.ok()) renewals += 1;
  });
  const renewed = (times: number) => until(async () => renewals >= times, `${library.name} renewed ${renewals} times`);

  await page.goto(site.urlOf(library), patience);
  await page.evaluate(([name, id]) => (globalThis as unknown as PlayerWindow).start(name, id), [
    library.start,
    contentId,
  ] as const);
  await plays(page);
  const sessions = [await sessionIn(page)];
  await renewed(2);

  await context.setOffline(true);
  await delay(10_000);
  await context.setOffline(false);
  await renewed(3);
  await plays(page);
  sessions.push(await sessionIn(page));

  await context.setOffline(true);
  await delay(30_000);
  const pausedWithoutSession = await page.evaluate(() => document.querySelector('video')?.paused === true);
  await context.setOffline(false);
  await inAnotherSession(page, sessions.at(-1));
  await plays(page);
  sessions.push(await sessionIn(page));

  await page.goto(site.otherUrl, patience);
  await until(async () => (await slots.now()) === 0, `${library.name} held its slot after the page was left`);
  await page.goBack({ waitUntil: 'commit', ...patience });
  await inAnotherSession(page, sessions.at(-1));
  await plays(page);
  sessions.push(await sessionIn(page));

  const { moved, returned, ends } = await page.evaluate(() => {
    const { moved, returned, ends } = (globalThis as unknown as PlayerWindow).shown;
    return { moved, returned, ends };
  });
  await page.close({ runBeforeUnload: true });
  await until(async () => (await slots.now()) === 0, `${library.name} held its slot after its tab was closed`);
  const maximumSlots = await slots.stop();
  await context.close();
  return {
    ...{ sessions, pausedWithoutSession, returnedFromCache: returned, moved, maximumSlots, ends, pageErrors },
    slotsAfterClose: await slots.now(),
  };
}

/** Counts the slots of a viewer again and again. */
class SlotCount {
  private most = 0;
  private stopped = false;
  private readonly counting: Promise<void>;

  constructor(
    private readonly site: CustomerSite,
    private readonly subject: string,
  ) {
    this.counting = this.count();
  }

  now(): Promise<number> {
    return countSessions(this.site, this.subject);
  }

  /** Resolves to the most that there were. */
  async stop(): Promise<number> {
    this.stopped = true;
    await this.counting;
    return this.most;
  }

  private async count(): Promise<void> {
    for (; !this.stopped; await delay(200)) this.most = Math.max(this.most, await this.now());
  }
}

const sessionIn = (page: Page): Promise<string> =>
  page.evaluate(() => (globalThis as unknown as PlayerWindow).shown.keeper.session.sessionId);

async function inAnotherSession(page: Page, last: string | undefined): Promise<void> {
  await page.waitForFunction(
    (id) => {
      const { keeper } = (globalThis as unknown as PlayerWindow).shown;
      return !keeper.waiting && keeper.session.sessionId !== id;
    },
    last,
    patience,
  );
}

/** Resolves once the video has moved for half a second; it repeats. */
export async function plays(page: Page): Promise<void> {
  const before = await page.evaluate(() => document.querySelector('video')?.currentTime ?? 0);
  await page.waitForFunction(
    (position) => {
      const video = document.querySelector('video');
      return video !== null && !video.paused && Math.abs(video.currentTime - position) > 0.5;
    },
    before,
    patience,
  );
}
