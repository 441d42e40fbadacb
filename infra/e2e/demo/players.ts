import { PlaybackClient } from '@multi-drm/client';
import { pageErrorsIn } from '@multi-drm/test-kit/browser/chromium';
import { playerLibraries, startPlayerPages } from './player-page';
import type { RunningDemo } from './running-demo';

/** The globals that the page's script defines. */
interface PlayerWindow {
  play(session: object): void;
  playback: { session: { drm: { drmLicenseToken: string } }; release(): Promise<void> };
}

/** Tests each library on a customer's page. */
export const describePlayers = (running: () => RunningDemo) =>
  describe('players with the code of docs/player.md', () => {
    let pageUrlOf: Awaited<ReturnType<typeof startPlayerPages>>;

    beforeAll(async () => {
      pageUrlOf = await startPlayerPages();
    });

    test.each(playerLibraries)("$name plays the demo's clip from a page on another origin", async (library) => {
      const { environments, apiClient, content, playbackUrl } = running().product.quickstart;
      const { development: environmentId } = environments;
      const playback = new PlaybackClient({ url: playbackUrl, environmentId, ...apiClient });
      const subject = `viewer of ${library.name}`;
      const session = await playback.createSession({
        ...content,
        drmSystem: 'widevine',
        subject,
        useEnvironmentDefaults: true,
        platformCapabilities: { clientPlatform: 'web', manifestTypes: [library.manifestType] },
      });
      expect(session.manifestUrls.map(({ type }) => type)).toEqual([library.manifestType]);

      const context = await running().browser.newContext();
      const pageErrors = pageErrorsIn(context);
      const page = await context.newPage();
      const license = page.waitForResponse(
        (response) => response.url() === session.drm.licenseServerUrl && response.ok(),
      );
      await page.goto(pageUrlOf(library));
      await page.evaluate((answer) => (globalThis as unknown as PlayerWindow).play(answer), session);
      const request = (await license).request();
      expect(await request.headerValue('authorization')).toBe(`Bearer ${session.drm.drmLicenseToken}`);
      await page.evaluate(() => document.querySelector('video')?.play());
      await page.waitForFunction(() => (document.querySelector('video')?.currentTime ?? 0) > 1, undefined, {
        timeout: 20_000,
      });
      const frames = await page.evaluate(
        () => document.querySelector('video')?.getVideoPlaybackQuality().totalVideoFrames,
      );
      expect(frames).toBeGreaterThan(0);
      await page.evaluate(() => (globalThis as unknown as PlayerWindow).playback.release());
      await context.close();
      expect(pageErrors).toEqual([]);
      expect(await playback.listSessions({ subject }).next()).toEqual({ done: true, value: undefined });
    });
  });
