import type { PlaybackClient } from '@multi-drm/client';
import { send } from '@multi-drm/test-kit/services/customer';
import type { Browser } from 'playwright-core';
import { type CustomerSite, countSessions, type Meanwhile, subjectOf } from './customer-site';
import type { PlayerLibrary } from './player-page';
import { type PlayerWindow, patience } from './players-in-use';
import type { RunningProduct } from './running-product';

/** Why licenses are refused, and with which code. The content of a page has the name. */
export const refusals = {
  'an ended session': 'session_terminated',
  'a blocked viewer': 'subject_blocked',
  'a backend that refuses': 'license_backend_refused',
  'a backend that is down': 'license_backend_unavailable',
} as const;

/** Ends the session, or blocks the viewer, before the page has the session. */
export function refuseMeanwhile(product: RunningProduct, playbackOf: () => PlaybackClient): Meanwhile {
  const { controlPlaneUrl, projectId, managementKey } = product.quickstart;
  return {
    'an ended session': ({ sessionId }, subject) => playbackOf().terminateSession({ sessionId, subject }),
    'a blocked viewer': (_, subject) =>
      send(
        'POST',
        `${controlPlaneUrl}/api/v1/management/projects/${projectId}/users`,
        { subject, status: 'blocked' },
        { Authorization: `Bearer ${managementKey}` },
      ),
  };
}

/** Plays with each refusal; resolves to the codes that the page was told, and to the sessions that are left. */
export async function playRefused(
  browser: Browser,
  site: CustomerSite,
  library: PlayerLibrary,
): Promise<{ ends: Record<string, string[]>; left: number }> {
  const context = await browser.newContext();
  const page = await context.newPage();
  // The demo's environment issues ClearKey licenses itself, so a license server is played here.
  let refused = '';
  await page.route(/\/licenses\//, async (route) => {
    if (!refused.startsWith('license_backend')) return route.continue();
    const retryable = refused === 'license_backend_unavailable';
    await route.fulfill({
      status: 502,
      contentType: 'application/problem+json',
      headers: { 'Access-Control-Allow-Origin': '*', ...(retryable ? { 'Retry-After': '2' } : {}) },
      body: JSON.stringify({ code: refused, status: 502, retryable, contractVersion: 1 }),
    });
  });
  const ends: Record<string, string[]> = {};
  for (const [contentId, code] of Object.entries(refusals)) {
    refused = code;
    await page.goto(site.urlOf(library), patience);
    await page.evaluate(([name, id]) => (globalThis as unknown as PlayerWindow).start(name, id), [
      library.start,
      contentId,
    ] as const);
    await page.waitForFunction(
      () => (globalThis as unknown as PlayerWindow).shown.ends.length > 0,
      undefined,
      patience,
    );
    ends[contentId] = await page.evaluate(() => (globalThis as unknown as PlayerWindow).shown.ends);
  }
  await context.close();
  const left = Object.keys(refusals).map((contentId) => countSessions(site, subjectOf(library, contentId)));
  return { ends, left: (await Promise.all(left)).reduce((sum, count) => sum + count, 0) };
}
