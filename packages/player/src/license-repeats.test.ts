import { type HlsJsPlayer, playWithHlsJs } from './hlsjs';
import { offline, play } from './testing/played-session';

/** A request of hls.js, as its license setup gets it, and whether it was opened. */
function requestWith(status: number, retryAfter: string | null = null, problem?: object) {
  const request = {
    ...{ readyState: status === 0 ? 0 : 4, status, opened: false },
    response: new TextEncoder().encode(JSON.stringify(problem ?? null)).buffer,
    getResponseHeader: () => retryAfter,
    open: () => {
      request.opened = true;
    },
    setRequestHeader: () => undefined,
  };
  return request;
}

type SetUp = (request: ReturnType<typeof requestWith>, url: string) => Promise<void>;

/** Plays with hls.js; returns what hls.js calls before each license request. */
async function setUpWithHlsJs({ keeper, video }: ReturnType<typeof play>): Promise<SetUp> {
  const player: HlsJsPlayer = {
    ...{ config: {}, attachMedia: () => undefined, detachMedia: () => undefined, startLoad: () => undefined },
    ...{ loadSource: () => video.dispatch('loadeddata'), on: () => undefined, off: () => undefined },
  };
  await playWithHlsJs(player, video, keeper);
  return Reflect.get(player.config, 'licenseXhrSetup');
}

test.each([
  ['Retry-After', '2', 2],
  ['a second', null, 1],
])('hls.js waits for %s before it repeats a failed license request', async (_, retryAfter, seconds) => {
  const played = play(offline);
  const setUp = await setUpWithHlsJs(played);
  await setUp(requestWith(502, retryAfter), 'url');
  const repeated = requestWith(0);
  const ready = setUp(repeated, 'url');
  await played.page.moveTo(seconds - 0.1);
  expect(repeated.opened).toBe(false);
  await played.page.moveTo(seconds);
  await ready;
  expect(repeated.opened).toBe(true);
  await played.keeper.stop();
});

test('a license that is refused for good ends playback with its code before hls.js repeats the request', async () => {
  const played = play(offline);
  const setUp = await setUpWithHlsJs(played);
  await setUp(requestWith(502, null, { code: 'license_backend_refused', retryable: false }), 'url');
  const repeated = requestWith(0);
  await expect(setUp(repeated, 'url')).rejects.toThrow('Playback has ended.');
  expect(repeated.opened).toBe(false);
  expect(played.ends).toEqual([
    {
      code: 'license_backend_refused',
      error: expect.objectContaining({ message: 'The license was refused with 502.' }),
    },
  ]);
});

test('hls.js does not wait after a license that it got', async () => {
  const played = play(offline);
  const setUp = await setUpWithHlsJs(played);
  await setUp(requestWith(200), 'url');
  const next = requestWith(0);
  await setUp(next, 'url');
  expect(next.opened).toBe(true);
  await played.keeper.stop();
});

test('after the end of playback no license is asked for, not even by a request that waits', async () => {
  const played = play(offline);
  const setUp = await setUpWithHlsJs(played);
  await setUp(requestWith(502), 'url');
  const repeated = requestWith(0);
  const ready = setUp(repeated, 'url');
  const refused = expect(ready).rejects.toThrow('Playback has ended.');
  await played.keeper.stop();
  await refused;
  expect(repeated.opened).toBe(false);
});
