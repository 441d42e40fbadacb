import type { PlaybackSession } from './session';
import { SessionKeeper } from './session-keeper';
import {
  type Answer,
  at,
  hangs,
  html,
  offline,
  play,
  problem,
  renewed,
  serverTime,
  sessionAt,
  unavailable,
} from './testing/played-session';

test('a session is renewed at its interval, with the newest token each time', async () => {
  const { page, keeper, calls, ends, session, onSession } = play(() => {
    const answer = renewed(session, page.performance.now() / 1000);
    return Response.json({ ...answer, drm: { ...answer.drm, drmLicenseToken: `token ${calls.length}` } });
  });
  await page.moveTo(199);
  expect(calls.map(({ token }) => token)).toEqual([
    `Bearer token of ${session.sessionId}`,
    ...Array.from({ length: 8 }, (_, index) => `Bearer token ${index + 1}`),
  ]);
  expect(keeper.session.drm.drmLicenseToken).toBe('token 9');
  expect(onSession).toHaveBeenCalledTimes(9);
  expect(ends).toEqual([]);
  await keeper.stop();
});

test.each<[string, Answer]>([
  ['is offline', offline],
  ['gets no answer', hangs],
  ['is told to try again', unavailable('7')],
  ["gets a proxy's page with 502", html(502)],
  ["gets a hotel's page with 200", html(200)],
  ["gets a firewall's page with 403", html(403)],
  ['gets an answer that is cut off', () => new Response('{"contractVersion":1,"sess')],
  ['gets JSON that is no session', () => Response.json({ items: [] })],
])(
  'a player that %s waits, paused once its session is over, and then goes on in one new session',
  async (_, answer) => {
    const { page, keeper, video, ends, create, renewals, service, session } = play(answer);
    await page.moveTo(49.9);
    expect(renewals()).toBeGreaterThan(1);
    expect(video.paused).toBe(false);
    await page.moveTo(50);
    expect(video.paused).toBe(true);
    await page.moveTo(600);
    expect({ ends, created: create.mock.calls.length, waiting: keeper.waiting }).toEqual({
      ends: [],
      created: 0,
      waiting: true,
    });

    service({ renew: () => problem('session_expired') });
    await page.moveTo(619);
    expect(create).toHaveBeenCalledTimes(1);
    expect(create).toHaveBeenCalledWith({ replacesSessionId: session.sessionId, signal: expect.any(AbortSignal) });
    expect(keeper.session.sessionId).not.toBe(session.sessionId);
    expect({ waiting: keeper.waiting, paused: video.paused, ends }).toEqual({
      waiting: false,
      paused: false,
      ends: [],
    });
    await keeper.stop();
  },
);

test('a player whose network comes back in time goes on, without waiting for the next attempt', async () => {
  const { page, keeper, video, create, renewals, service, session } = play(offline);
  await page.moveTo(20.1);
  service({ renew: () => Response.json(renewed(session, 20)) });
  await page.dispatch('online');
  expect(renewals()).toBe(2);
  await page.moveTo(60);
  expect({ paused: video.paused, created: create.mock.calls.length }).toEqual({ paused: false, created: 0 });
  await keeper.stop();
});

test.each([
  ['a week', '604800', 80],
  ['less than nothing', '-30', 25],
  ['a date', 'Thu, 01 Jan 2026 00:10:00 GMT', 25],
])('Retry-After of %s is bounded', async (_, retryAfter, seconds) => {
  const { page, keeper, renewals, session } = play(
    unavailable(retryAfter),
    undefined,
    sessionAt(0, { expiresAt: at(1000) }),
  );
  expect(session.renewal?.intervalSeconds).toBe(20);
  await page.moveTo(seconds - 0.1);
  expect(renewals()).toBe(1);
  await page.moveTo(seconds);
  expect(renewals()).toBe(2);
  await keeper.stop();
});

test.each(['session_terminated', 'session_evicted', 'session_released', 'subject_blocked', 'a_code_of_tomorrow'])(
  '%s stops playback for good, and the slot is released',
  async (code) => {
    const { page, keeper, video, ends, create, released, session } = play(() => problem(code));
    await page.moveTo(3600);
    expect(ends).toEqual([{ code }]);
    expect(released()).toEqual([session.sessionId]);
    expect(create).not.toHaveBeenCalled();
    await video.play();
    expect({ paused: video.paused, ended: keeper.ended }).toEqual({ paused: true, ended: true });
    expect(page.leftovers).toBe(0);
  },
);

test('after the end the video plays again once something else is loaded into it', async () => {
  const { page, video } = play(() => problem('session_terminated'));
  await page.moveTo(21);
  video.dispatch('emptied');
  await video.play();
  expect(video.paused).toBe(false);
});

test.each([-3600, 3600])("a device's clock that is %d seconds off changes nothing", async (offset) => {
  const before = Date.now;
  Date.now = () => serverTime + offset * 1000;
  const { page, keeper, video, renewals } = play(offline);
  await page.moveTo(19.9);
  expect(renewals()).toBe(0);
  await page.moveTo(49.9);
  expect(video.paused).toBe(false);
  await page.moveTo(50);
  expect(video.paused).toBe(true);
  Date.now = before;
  await keeper.stop();
});

test('an answer in another version of the contract stops playback', async () => {
  const { page, ends, session } = play(() => Response.json({ ...session, contractVersion: 2 }));
  await page.moveTo(21);
  expect(ends).toEqual([{ code: 'contract_version_unsupported' }]);
});

test('a response in another version of the contract, or none, gets no keeper', () => {
  const options = { createSession: async () => sessionAt(0), onEnd: jest.fn() };
  for (const session of [sessionAt(0, { contractVersion: 2 }), { code: 'subject_blocked' }, undefined]) {
    expect(() => new SessionKeeper({ ...options, session: session as PlaybackSession })).toThrow(/Contract v1/);
  }
});

describe('release', () => {
  test('during a renewal, the renewal is ignored', async () => {
    let answer: (response: Response) => void = () => undefined;
    const { page, keeper, ends, released, session } = play(
      () =>
        new Promise((resolve) => {
          answer = resolve;
        }),
    );
    await page.moveTo(20);
    expect(await keeper.stop()).toBe(true);
    answer(problem('session_released'));
    await page.moveTo(3600);
    expect(released()).toEqual([session.sessionId]);
    expect(ends).toEqual([]);
    expect(page.leftovers).toBe(0);
  });

  test.each<[string, Answer]>([
    ['no network', offline],
    ['a full service', unavailable('1')],
  ])('with %s is tried again until it succeeds', async (_, answer) => {
    const { page, keeper, released, service } = play(offline);
    service({ release: answer });
    expect(await keeper.stop()).toBe(false);
    await page.moveTo(12);
    service({ release: () => new Response(null, { status: 204 }) });
    await page.moveTo(3600);
    expect(released()).toHaveLength(4);
    expect(page.leftovers).toBe(0);
  });

  test('without a network is tried again until the session is over', async () => {
    const { page, keeper, released, service } = play(offline);
    service({ release: offline });
    await keeper.stop();
    await page.moveTo(3600);
    expect(released().length).toBeGreaterThan(9);
    expect(released().length).toBeLessThan(13);
    expect(page.leftovers).toBe(0);
  });

  test('that had no answer is sent when the page is left', async () => {
    const { page, keeper, service, session } = play(offline);
    service({ release: offline });
    await keeper.stop();
    await page.dispatch('pagehide');
    expect(page.beacons).toEqual([[session.release.url, session.drm.drmLicenseToken]]);
    expect(page.leftovers).toBe(1); // the attempt that is not made any more
  });

  test('is sent once, by Stop, a failure, or the page that is left', async () => {
    const { page, keeper, ends, released } = play(offline);
    await keeper.stop();
    await keeper.stop();
    keeper.fail('player_error');
    await page.dispatch('pagehide');
    expect({ released: released().length, beacons: page.beacons, ends }).toEqual({
      released: 1,
      beacons: [],
      ends: [],
    });
  });
});

test("a player's failure releases the session and tells the page once", async () => {
  const { page, keeper, ends, released, session } = play(offline);
  const error = new Error('decode');
  keeper.fail('player_error', error);
  keeper.fail('network_lost');
  await page.moveTo(1);
  expect(ends).toEqual([{ code: 'player_error', error }]);
  expect(released()).toEqual([session.sessionId]);
  await keeper.whenEnded;
});

test('a session has one keeper in a page, and may have another after it', async () => {
  const { page, keeper, session } = play(offline);
  const again = () => new SessionKeeper({ session, createSession: async () => sessionAt(0), onEnd: jest.fn() }, page);
  expect(again).toThrow(/has a keeper/);
  await keeper.stop();
  await again().stop();
});

test('a license request waits for the new session', async () => {
  const { page, keeper, service } = play(offline);
  await page.moveTo(51);
  const used = keeper.whenActive();
  service({ renew: () => problem('session_expired') });
  await page.moveTo(60);
  expect((await used).sessionId).toBe(keeper.session.sessionId);
  expect(await keeper.whenActive()).toBe(keeper.session);
  await keeper.stop();
});
