import { playWithShaka, type ShakaPlayer } from './shaka';
import { offline, play, problem, sessionAt } from './testing/played-session';

/** A player of which `load` is played by the test. */
function playerWith(load: (uri: string, startTime?: number) => Promise<unknown>) {
  const listeners = new Map<string, (event: Event) => void>();
  const filters: unknown[] = [];
  const player: ShakaPlayer & { load: jest.Mock } = {
    attach: async () => undefined,
    configure: jest.fn(),
    getNetworkingEngine: () => ({
      registerRequestFilter: (filter) => filters.push(filter),
      unregisterRequestFilter: () => filters.pop(),
    }),
    load: jest.fn(load),
    retryStreaming: () => true,
    addEventListener: (type, listener) => void listeners.set(type, listener),
    removeEventListener: (type) => void listeners.delete(type),
  };
  const dispatch = (type: string, detail?: object) => listeners.get(type)?.(Object.assign(new Event(type), { detail }));
  return { player, dispatch, leftovers: () => listeners.size + filters.length };
}

const never = () => new Promise<never>(() => undefined);

test('a session that ends while the player is prepared is not loaded', async () => {
  const { keeper, video } = play(offline);
  const { player } = playerWith(async () => undefined);
  const playing = playWithShaka(player, video, keeper);
  await keeper.stop();
  await playing;
  expect(player.configure).not.toHaveBeenCalled();
  expect(player.load).not.toHaveBeenCalled();
});

test('a player whose session ends while it loads is waited for no longer', async () => {
  const { keeper, video } = play(offline);
  const { player, leftovers } = playerWith(never);
  const playing = playWithShaka(player, video, keeper);
  await new Promise(setImmediate);
  expect(player.load).toHaveBeenCalledTimes(1);
  await keeper.stop();
  await playing;
  expect(leftovers()).toBe(0);
});

test.each([7000, 7001, 7003])('a player that is destroyed while it loads (%d) releases the session', async (code) => {
  const { keeper, video, ends, released, session } = play(offline);
  const { player } = playerWith(() => Promise.reject({ code, data: [] }));
  await playWithShaka(player, video, keeper);
  expect({ ended: keeper.ended, ends }).toEqual({ ended: true, ends: [] });
  expect(released()).toEqual([session.sessionId]);
});

test('a player that is destroyed later releases the session', async () => {
  const { keeper, video, ends } = play(offline);
  const { player, dispatch } = playerWith(async () => undefined);
  await playWithShaka(player, video, keeper);
  expect(keeper.ended).toBe(false);
  dispatch('unloading');
  expect({ ended: keeper.ended, ends }).toEqual({ ended: true, ends: [] });
});

const refusal = JSON.stringify({ code: 'subject_blocked', retryable: false });
test.each([
  ['a refused license', { code: 6007, data: [{ code: 1001, data: ['url', 403, refusal] }] }, 'subject_blocked'],
  [
    "a proxy's page",
    { code: 6007, data: [{ code: 1001, data: ['url', 502, '<h1>Bad gateway</h1>'] }] },
    'player_error',
  ],
  ['no answer to a license request', { code: 6007, data: [{ code: 1002, data: ['url'] }] }, 'network_lost'],
  ['no answer to the manifest', { code: 1002, data: ['url'] }, 'network_lost'],
  ['a segment that cannot be decoded', { code: 3016, data: [] }, 'player_error'],
])('%s ends playback with its code', async (_, error, code) => {
  const { keeper, video, ends } = play(offline);
  const { player } = playerWith(() => Promise.reject(error));
  await playWithShaka(player, video, keeper);
  expect(ends).toEqual([{ code, error }]);
});

test('a segment that got no answer does not end playback', async () => {
  const { keeper, video, ends } = play(offline);
  const { player, dispatch } = playerWith(async () => undefined);
  await playWithShaka(player, video, keeper);
  dispatch('error', { code: 1002, data: [] });
  expect(ends).toEqual([]);
  dispatch('error', { code: 3016, data: [] });
  expect(ends).toMatchObject([{ code: 'player_error' }]);
});

test('a new session is loaded at the same position, and the video plays on after that', async () => {
  let done: () => void = () => undefined;
  const { page, keeper, video, session } = play(
    () => problem('session_expired'),
    async () => sessionAt(20),
  );
  const { player, dispatch } = playerWith(async (_, position) => {
    if (position === undefined) return;
    dispatch('unloading');
    await new Promise<void>((resolve) => {
      done = resolve;
    });
  });
  await playWithShaka(player, video, keeper);
  video.currentTime = 12;
  await page.moveTo(21);
  expect(player.load.mock.calls).toEqual([
    [session.manifestUrl, undefined],
    [session.manifestUrl, 12],
  ]);
  expect(video.paused).toBe(true);
  done();
  await page.moveTo(22);
  expect({ paused: video.paused, ended: keeper.ended }).toEqual({ paused: false, ended: false });
  await keeper.stop();
});
