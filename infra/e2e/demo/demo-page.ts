import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';

const screenshotFolder = join(__dirname, 'screenshots');
const patience = { timeout: 60_000 };
/** Much more often than for a viewer, so that tests do not wait longer than necessary. */
const pollMilliseconds = 200;

/** A tab with the demo site, used like a viewer does. */
export class DemoPage {
  constructor(readonly page: Page) {}

  static async open(context: BrowserContext, url: string): Promise<DemoPage> {
    const page = await context.newPage();
    await page.goto(`${url}?poll=${pollMilliseconds}`);
    return new DemoPage(page);
  }

  async logIn(name: string): Promise<void> {
    await this.page.getByRole('button', { name: `Watch as ${name}` }).click(patience);
    await this.page.getByText(`Watching as ${name}`).waitFor(patience);
  }

  async press(name: 'Play' | 'Stop' | 'Log out'): Promise<void> {
    await this.page.getByRole('button', { name, exact: true }).click(patience);
  }

  /** Resolves once this many seconds have played, with the position and the number of frames. */
  async playsOn(seconds = 0.2): Promise<{ currentTime: number; frames: number }> {
    const video = this.page.locator('video');
    const element = await video.elementHandle();
    await this.page.waitForFunction(
      ([played, least]) => played instanceof HTMLVideoElement && played.currentTime > Number(least),
      [element, seconds] as const,
      patience,
    );
    return video.evaluate((played: HTMLVideoElement) => ({
      currentTime: played.currentTime,
      frames: played.getVideoPlaybackQuality().totalVideoFrames,
    }));
  }

  /** Whether the video is playing. */
  async plays(): Promise<boolean> {
    return this.page.locator('video').evaluate((video: HTMLVideoElement) => !video.paused && video.readyState > 2);
  }

  /** Resolves to the status of the next response to a release. */
  async released(): Promise<number> {
    return (await this.page.waitForResponse(/\/release$/, patience)).status();
  }

  /** The id of the element that has the keyboard's focus. */
  async focused(): Promise<string> {
    return this.page.evaluate(() => document.activeElement?.id ?? '');
  }

  /** Resolves once the page shows the text. */
  async says(text: string | RegExp): Promise<void> {
    await this.page.getByText(text).first().waitFor(patience);
  }

  async refusal(): Promise<string> {
    const alert = this.page.getByRole('alert');
    await alert.waitFor(patience);
    return (await alert.textContent()) ?? '';
  }

  /** Closes the tab like a viewer does, with its unload events. */
  async close(): Promise<void> {
    const closed = this.page.waitForEvent('close', patience);
    await this.page.close({ runBeforeUnload: true });
    await closed;
  }

  async screenshot(name: string): Promise<void> {
    await this.page.screenshot({ path: join(screenshotFolder, `${name}.png`), fullPage: true });
  }
}
