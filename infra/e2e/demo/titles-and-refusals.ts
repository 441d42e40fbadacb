import { readPageWords } from '@multi-drm/demo-site';
import { pageErrorsIn } from '@multi-drm/test-kit/browser/chromium';
import type { BrowserContext } from 'playwright-core';
import { DemoPage } from './demo-page';
import type { RunningDemo } from './running-demo';

/** How many tabs try refusals side by side. */
const tabsAtOnce = 4;

/** Tests the choices of a viewer: the title, and the refusal to be tried. */
export const describeTitlesAndRefusals = (running: () => RunningDemo) =>
  describe('the choices of the demo', () => {
    let context: BrowserContext;
    let pageErrors: string[];

    beforeEach(async () => {
      context = await running().browser.newContext();
      pageErrors = pageErrorsIn(context);
    });
    afterEach(async () => {
      for (const page of context.pages()) await new DemoPage(page).close();
      await context.close();
      expect(pageErrors).toEqual([]);
    });

    const open = (): Promise<DemoPage> => DemoPage.open(context, running().product.quickstart.demoUrl);

    const durationOf = ({ page }: DemoPage): Promise<number> =>
      page.locator('video').evaluate((video: HTMLVideoElement) => Math.round(video.duration));

    test('a viewer switches to the other title, with the same slot, and a reload keeps it', async () => {
      const tab = await open();
      await tab.logIn('Ada');
      await tab.press('Play');
      await tab.playsOn();
      expect(await durationOf(tab)).toBe(28);
      await tab.page.getByLabel('Title').selectOption('Demo trailer');
      await tab.page.waitForFunction(() => Math.round(document.querySelector('video')?.duration ?? 0) === 16);
      await tab.playsOn();
      await tab.says('1 of 2 in use');
      await tab.screenshot('other-title');
      await tab.page.reload();
      await tab.page.waitForFunction(() => Math.round(document.querySelector('video')?.duration ?? 0) === 16);
      await tab.says('1 of 2 in use');
      await tab.press('Stop');
      await tab.says('0 of 2 in use');
    });

    test('every problem that can be tried is shown in words', async () => {
      const first = await open();
      await first.logIn('Ada');
      const subjects = await subjectsOf(first);
      expect(subjects.length).toBeGreaterThan(40);
      const tabs = [first, ...(await Promise.all(Array.from({ length: tabsAtOnce - 1 }, open)))];
      const words = readPageWords(subjects.map(codeOf));
      const waiting = [...subjects];
      const unlike: string[] = [];
      await Promise.all(
        tabs.map(async (tab) => {
          if (tab !== first) await subjectsOf(tab);
          for (let subject = waiting.shift(); subject !== undefined; subject = waiting.shift()) {
            if (!(await showsWordsFor(tab, subject, words))) unlike.push(subject);
          }
        }),
      );
      expect(unlike).toEqual([]);
      await first.screenshot('refused-in-the-sandbox');
      await first.says('0 of 2 in use');
    });
  });

const codeOf = (subject: string): string => subject.replace(/^.*:/, '');

/** Opens the part with the refusals, and returns the subjects that it offers. */
async function subjectsOf({ page }: DemoPage): Promise<string[]> {
  await page.getByText('For developers: try a refusal').click();
  const options = page.locator('#sandbox-subject option:not([value=""])');
  await options.first().waitFor({ state: 'attached' });
  return options.evaluateAll((all) => all.map((option) => (option as HTMLOptionElement).value));
}

/** Tries a refusal. Resolves to whether the page shows its words, without its code. */
async function showsWordsFor(tab: DemoPage, subject: string, words: Record<string, string>): Promise<boolean> {
  const { page } = tab;
  await page.locator('#sandbox-subject').selectOption(subject);
  await tab.press('Play');
  const answer = await page.waitForFunction(
    (asked) => {
      const [status, refusal] = ['status', 'refusal'].map((id) => document.getElementById(id));
      const [isOver, isShown] = [
        !/^(Asking|Playing|Paused)/.test(status?.textContent ?? ''),
        refusal?.hidden === false,
      ];
      // The text of a refused license is the status, and that of a refused start below it.
      return isOver &&
        (asked.startsWith('sandbox-license:') || isShown || /could not be reached/.test(status?.textContent ?? ''))
        ? `${status?.textContent} ${refusal?.textContent}`
        : false;
    },
    subject,
    { timeout: 30_000 },
  );
  const code = codeOf(subject);
  const text = String(await answer.jsonValue());
  const isUnreached = subject === 'sandbox:service_unavailable' && text.includes('the service could not be reached');
  return (text.includes(words[code] ?? '') || isUnreached) && !text.includes(code);
}
