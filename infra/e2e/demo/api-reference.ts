import type { OpenApiDocument, PlaybackSchemas } from '@multi-drm/contracts';
import { documentExamples } from '@multi-drm/test-kit';
import { pageErrorsIn } from '@multi-drm/test-kit/browser/chromium';
import type { BrowserContext } from 'playwright-core';
import type { RunningDemo } from './running-demo';

/** Tests the page at `/docs` of playback, and the request that it shows for a create. */
export const describeApiReference = (running: () => RunningDemo) =>
  describe('the API reference', () => {
    let context: BrowserContext;
    let pageErrors: string[];

    beforeAll(async () => {
      context = await running().browser.newContext();
      pageErrors = pageErrorsIn(context);
    });
    afterAll(async () => {
      await context?.close();
    });

    test('shows every operation with files of the service only, under its content security policy', async () => {
      const { playbackUrl, environments } = running().product.quickstart;
      const page = await context.newPage();
      const others: string[] = [];
      page.on('request', (request) => {
        if (!/^(?:data|blob):/.test(request.url()) && !request.url().startsWith(`${playbackUrl}/`)) {
          others.push(request.url());
        }
      });
      await page.goto(`${playbackUrl}/docs/?siteId=${environments.development}`);
      await page.getByRole('heading', { name: 'Multi-DRM playback' }).first().waitFor();
      await page.getByText('Sessions', { exact: true }).first().click();
      await page.getByText('Create a Universal Playback Session').first().waitFor();
      expect(await page.title()).toBe('Multi-DRM playback');
      expect(others).toEqual([]);
      expect(pageErrors).toEqual([]);
    });

    test('shows a create that starts a session of the demo, as often as it is sent', async () => {
      const { playbackUrl, environments, apiClient } = running().product.quickstart;
      const document = (await (await fetch(`${playbackUrl}/openapi.json`)).json()) as OpenApiDocument;
      const example = documentExamples(document).find(({ operationId }) => operationId === 'createPlaybackSession');
      const path = example?.url.replace(/(?<=environments\/)[^/]+/, environments.development);
      const send = () =>
        fetch(`${playbackUrl}${path}`, {
          method: 'POST',
          headers: {
            'Content-Type': 'application/json',
            'X-SERVICE-Client-Id': apiClient.clientId,
            'X-SERVICE-Client-Secret': apiClient.accessKey,
            ...example?.headers,
          },
          body: JSON.stringify(example?.body?.value),
        });
      const ids: string[] = [];
      for (let time = 0; time < 2; time += 1) {
        const answer = await send();
        expect(answer.status).toBe(200);
        const { sessionId, release, drm } = (await answer.json()) as PlaybackSchemas['PlaybackSessionResponse'];
        ids.push(sessionId);
        await fetch(release.url, { method: 'POST', headers: { Authorization: `Bearer ${drm.drmLicenseToken}` } });
      }
      expect(new Set(ids).size).toBe(2);
    });
  });
