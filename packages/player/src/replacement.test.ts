import type { CreateSession } from './replacement';
import type { PlaybackSession } from './session';
import { hangs, offline, play, problem, renewed, sessionAt } from './testing/played-session';

test.each(['session_expired', 'session_not_found', 'token_expired', 'token_invalid'])(
  'a session that is over (%s) is replaced',
  async (code) => {
    const { page, keeper, ends, create, onSession } = play(() => problem(code));
    await page.moveTo(21);
    expect(create).toHaveBeenCalledTimes(1);
    expect(onSession).toHaveBeenCalledWith(keeper.session);
    expect(ends).toEqual([]);
    await keeper.stop();
  },
);

test('a session of maximum length is replaced before its end, so that playback goes on', async () => {
  const { page, keeper, video, create, service, session } = play(() => Response.json(last));
  const { renewal: _, ...last } = renewed(session, 20);
  await page.moveTo(64);
  expect({ created: create.mock.calls.length, left: keeper.secondsLeft }).toEqual({ created: 0, left: 6 });
  service({ renew: () => Response.json(renewed(keeper.session, page.performance.now() / 1000)) });
  await page.moveTo(65);
  expect(create).toHaveBeenCalledTimes(1);
  await page.moveTo(70);
  expect({ created: create.mock.calls.length, paused: video.paused }).toEqual({ created: 1, paused: false });
  await keeper.stop();
});

describe('createSession', () => {
  const refusal = Object.assign(new Error('refused'), { code: 'concurrent_stream_limit_reached' });

  test.each<[string, CreateSession, string]>([
    ['rejects with a code', () => Promise.reject(refusal), 'concurrent_stream_limit_reached'],
    ['rejects', () => Promise.reject(new TypeError('Failed to fetch')), 'session_not_created'],
    ['throws', () => offline(), 'session_not_created'],
    ['returns a refusal', async () => ({ code: 'subject_blocked' }) as never, 'session_not_created'],
    ['hangs', ({ signal }) => hangs(signal), 'session_not_created'],
    ['hangs and ignores its signal', () => new Promise(() => undefined), 'session_not_created'],
  ])('that %s is not called again, and playback ends', async (_, createSession, code) => {
    const { page, ends, create, released, session } = play(() => problem('session_expired'), createSession);
    await page.moveTo(3600);
    expect(ends).toEqual([{ code, error: expect.any(Error) }]);
    expect(create).toHaveBeenCalledTimes(1);
    expect(released()).toEqual([session.sessionId]);
    expect(page.leftovers).toBe(0);
  });

  test('that returns the old session ends playback', async () => {
    const { page, ends, create, session } = play(
      () => problem('session_expired'),
      async () => session,
    );
    await page.moveTo(3600);
    expect(ends).toMatchObject([{ code: 'session_not_created' }]);
    expect(create).toHaveBeenCalledTimes(1);
  });

  test.each<[string, (tab: ReturnType<typeof play>) => Promise<unknown>]>([
    ['after its deadline', ({ page }) => page.moveTo(60)],
    ['after Stop', ({ keeper }) => keeper.stop()],
    ['after the page was left', ({ page }) => page.dispatch('pagehide')],
  ])('that returns %s has its session released, because nobody plays it', async (_, meanwhile) => {
    let create: (session: PlaybackSession) => void = () => undefined;
    const tab = play(
      () => problem('session_expired'),
      () =>
        new Promise((resolve) => {
          create = resolve;
        }),
    );
    await tab.page.moveTo(21);
    await meanwhile(tab);
    expect(tab.create.mock.calls[0]?.[0].signal.aborted).toBe(true);
    const late = sessionAt(60);
    create(late);
    await tab.page.moveTo(61);
    expect(tab.released()).toContain(late.sessionId);
    expect(tab.keeper.session).toBe(tab.session);
    await tab.keeper.stop();
  });
});

test('while a new session is created, the last one is not renewed: its answer would end playback', async () => {
  let create: (session: PlaybackSession) => void = () => undefined;
  const { page, keeper, ends, renewals } = play(
    () => problem(renewals() === 1 ? 'session_expired' : 'session_released'),
    () =>
      new Promise((resolve) => {
        create = resolve;
      }),
  );
  await page.moveTo(21);
  await keeper.renew();
  expect({ renewals: renewals(), ends }).toEqual({ renewals: 1, ends: [] });
  create(sessionAt(21));
  await page.moveTo(22);
  expect(keeper.waiting).toBe(false);
  await keeper.stop();
});

describe('the back/forward cache', () => {
  test('a page that returns plays on in a new session, and not before it is there', async () => {
    const { page, keeper, video, create, renewals, session } = play(offline);
    await page.moveTo(5);
    await page.dispatch('pagehide', { persisted: true });
    expect(page.beacons).toEqual([[session.release.url, session.drm.drmLicenseToken]]);
    expect(video.paused).toBe(true);
    await page.moveTo(4000);
    expect(renewals()).toBe(0);

    let release: () => void = () => undefined;
    create.mockImplementation(async () => {
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      return sessionAt(4000);
    });
    await page.dispatch('pageshow', { persisted: true });
    await video.play();
    expect(video.paused).toBe(true);
    release();
    await page.moveTo(4001);
    expect(create).toHaveBeenCalledTimes(1);
    expect({ paused: video.paused, waiting: keeper.waiting }).toEqual({ paused: false, waiting: false });
    await keeper.stop();
  });

  test('a renewal that was under way when the page was left changes nothing', async () => {
    let answer: (response: Response) => void = () => undefined;
    const { page, keeper, video, session, create } = play(
      () =>
        new Promise((resolve) => {
          answer = resolve;
        }),
    );
    await page.moveTo(20);
    await page.dispatch('pagehide', { persisted: true });
    answer(Response.json(renewed(session, 20)));
    await page.moveTo(21);
    expect({ paused: video.paused, waiting: keeper.waiting }).toEqual({ paused: true, waiting: true });
    await page.dispatch('pageshow', { persisted: true });
    expect(create).toHaveBeenCalledTimes(1);
    await keeper.stop();
  });

  test('a page that is shown for the first time keeps its session', async () => {
    const { page, keeper, create } = play(offline);
    await page.dispatch('pageshow', { persisted: false });
    expect(create).not.toHaveBeenCalled();
    await keeper.stop();
  });
});

test('a hidden page that does not play takes a new session only when the viewer comes back', async () => {
  const { page, keeper, video, create } = play(() => problem('session_expired'));
  video.pause();
  page.document.hidden = true;
  await page.moveTo(3600);
  expect(create).not.toHaveBeenCalled();
  await page.dispatch('visibilitychange');
  expect(create).not.toHaveBeenCalled();
  page.document.hidden = false;
  await page.dispatch('visibilitychange');
  expect(create).toHaveBeenCalledTimes(1);
  expect(video.paused).toBe(true);
  await keeper.stop();
});

test('a hidden page that plays goes on in a new session', async () => {
  const { page, keeper, create } = play(() => problem('session_expired'));
  page.document.hidden = true;
  await page.moveTo(21);
  expect(create).toHaveBeenCalledTimes(1);
  await keeper.stop();
});
