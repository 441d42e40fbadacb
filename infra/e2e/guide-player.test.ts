import { setImmediate as pendingWork } from 'node:timers/promises';
import { openPage } from '@multi-drm/test-kit/documents/guide';
import type { Session } from '@multi-drm/test-kit/services/customer';

// The player of docs/player.md on a simulated clock, with a service that the test plays.

const serverTime = Date.parse('2026-01-01T00:00:00Z');
const at = (seconds: number) => new Date(serverTime + seconds * 1000).toISOString();
const route = { url: 'https://playback.example.com', method: 'POST', authorizationScheme: 'Bearer' };

/** What the documented player reads of a session with a heartbeat of 20 seconds. */
const session = {
  serverTime: at(0),
  expiresAt: at(50),
  renewal: { ...route, intervalSeconds: 20 },
  release: route,
  drm: { drmLicenseToken: 'token' },
} as Session;

/** A clock whose timers run when the test moves it. */
class SimulatedClock {
  private time = 0;
  private readonly timers = new Map<number, { due: number; run: () => void }>();
  private lastTimer = 0;

  readonly globals = {
    performance: { now: () => this.time },
    setTimeout: (run: () => void, milliseconds: number) => {
      this.lastTimer += 1;
      this.timers.set(this.lastTimer, { due: this.time + milliseconds, run });
      return this.lastTimer;
    },
    clearTimeout: (timer: number) => void this.timers.delete(timer),
  };

  async moveTo(seconds: number): Promise<void> {
    for (;;) {
      const next = [...this.timers].sort(([, one], [, other]) => one.due - other.due)[0];
      if (next === undefined || next[1].due > seconds * 1000) break;
      const [timer, { due, run }] = next;
      this.timers.delete(timer);
      this.time = due;
      run();
      await pendingWork();
    }
    this.time = seconds * 1000;
  }
}

/** Opens a page with the session; `answer` plays the service. */
function play(answer: () => Response) {
  const clock = new SimulatedClock();
  const service = jest.fn(async () => answer());
  return { ...openPage(session, { ...clock.globals, fetch: service }), clock, service };
}

const offline = () => {
  throw new TypeError('Failed to fetch');
};
const unavailable = () =>
  new Response('{"code":"service_unavailable","retryable":true}', { status: 503, headers: { 'Retry-After': '7' } });
const unreadable = () => new Response('<h1>Bad gateway</h1>', { status: 502 });

test.each([
  ['is offline', offline],
  ['is told to try again', unavailable],
  ['gets unreadable responses', unreadable],
])('a player that %s tries to renew until expiresAt, and then ends', async (_name, answer) => {
  const { ends, clock, service } = play(answer);
  await clock.moveTo(49.9);
  expect(ends).toEqual([]);
  expect(service.mock.calls.length).toBeGreaterThan(4);
  await clock.moveTo(50);
  expect(ends).toEqual(['session_expired']);
  const calls = service.mock.calls.length;
  await clock.moveTo(3600);
  expect(ends).toEqual(['session_expired']);
  expect(service).toHaveBeenCalledTimes(calls);
});

test('a player whose network comes back in time continues until the new expiresAt', async () => {
  const renewed = { ...session, serverTime: at(25), expiresAt: at(75), renewal: undefined };
  const { ends, clock, service } = play(() => (service.mock.calls.length === 1 ? offline() : Response.json(renewed)));
  await clock.moveTo(74.9);
  expect(ends).toEqual([]);
  expect(service).toHaveBeenCalledTimes(2);
  await clock.moveTo(75);
  expect(ends).toEqual(['session_expired']);
});
