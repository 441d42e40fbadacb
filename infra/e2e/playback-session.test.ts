import { setTimeout as delay } from 'node:timers/promises';
import type { ControlPlaneSchemas } from '@multi-drm/contracts';
import {
  type BackendSettings,
  codeIn,
  type GuideBackend,
  openPage,
  openTab,
  startBackend,
} from '@multi-drm/test-kit/documents/guide';
import { type StartedServices, startServices } from './started-services';

// Runs the unchanged code of docs/backend.md and docs/player.md against the services: these pages are all that an integrator has.

const contentId = 'lesson-0042';

let services: StartedServices;
let settings: BackendSettings;
let backend: GuideBackend;

jest.setTimeout(120_000);

beforeAll(async () => {
  services = await startServices();
  settings = await makeEnvironment();
  backend = startBackend(settings);
});

/** Creates an environment with a heartbeat, two streams per viewer and a published lesson; resolves when playback has it. */
async function makeEnvironment(): Promise<BackendSettings> {
  const customer = await services.register();
  await customer.publish(contentId);
  const { clientId, accessKey = '' } = await customer.manage<ControlPlaneSchemas['CreatedApiClientResponse']>(
    'POST',
    `/projects/${customer.projectId}/api-clients`,
    { name: 'Shop', permissions: ['license-tokens:create', 'sessions:read', 'sessions:release'] },
  );
  const changes = { settings: { heartbeatSeconds: 20, maximumConcurrentStreams: 2 } };
  await customer.manage('PATCH', `/environments/${customer.siteId}`, changes, { 'If-Match': '*' });
  const made = {
    PLAYBACK_URL: services.playback.url,
    SITE_ID: customer.siteId,
    CLIENT_ID: clientId,
    ACCESS_KEY: accessKey,
  };
  const request = { ...watch('nobody'), useEnvironmentDefaults: true };
  for (;;) {
    const known = await startBackend(made)
      .evaluate(request)
      .catch(() => undefined);
    if (known?.allowed && known.policy?.maximumConcurrentStreams === 2) return made;
    await delay(50);
  }
}

/** The request that a backend sends when a viewer presses play. */
function watch(subject: string): Parameters<GuideBackend['createSession']>[0] {
  const platformCapabilities = { clientPlatform: 'web', drmSystems: ['widevine'] };
  return { subject, contentId, contentType: 'vod', drmSystem: 'widevine', platformCapabilities };
}

/** The ids of a viewer's active sessions, oldest first, and of the environment's, in no particular order. */
async function live(subject: string): Promise<{ ofViewer: string[]; ofEnvironment: Set<string> }> {
  const [viewers, all] = await Promise.all([backend.listSessions(subject), backend.listSessions()]);
  const ids = (sessions: typeof all) => sessions.map(({ sessionId }) => sessionId);
  return { ofViewer: ids(viewers), ofEnvironment: new Set(ids(all)) };
}

test('create, three renewals, replacement and release, with the right lists of active sessions at every step', async () => {
  const subject = 'lms:3f9c viewer+1/ü';
  expect(await live(subject)).toEqual({ ofViewer: [], ofEnvironment: new Set() });

  const other = openPage(await backend.createSession(watch('somebody else')));
  const first = openPage(await backend.createSession(watch(subject)));
  const otherId = other.player.session.sessionId;
  const firstId = first.player.session.sessionId;
  expect(await live(subject)).toEqual({ ofViewer: [firstId], ofEnvironment: new Set([firstId, otherId]) });

  for (let renewals = 0; renewals < 3; renewals += 1) {
    const before = first.player.session;
    await first.player.renew();
    const after = first.player.session;
    expect(Date.parse(after.expiresAt)).toBeGreaterThan(Date.parse(before.expiresAt));
    expect(after.drm.drmLicenseToken).not.toBe(before.drm.drmLicenseToken);
    expect(await backend.listSessions(subject)).toEqual([
      expect.objectContaining({
        sessionId: firstId,
        subject,
        contentId,
        clientPlatform: 'web',
        expiresAt: after.expiresAt,
      }),
    ]);
    expect((await live(subject)).ofEnvironment).toEqual(new Set([firstId, otherId]));
  }

  const next = openPage(await backend.createSession({ ...watch(subject), replacesSessionId: firstId }));
  const nextId = next.player.session.sessionId;
  expect(await live(subject)).toEqual({ ofViewer: [nextId], ofEnvironment: new Set([nextId, otherId]) });
  await first.player.renew();
  expect(first.ends).toEqual(['session_released']);
  await next.player.renew();
  expect(await live(subject)).toEqual({ ofViewer: [nextId], ofEnvironment: new Set([nextId, otherId]) });

  await next.player.release();
  expect(await live(subject)).toEqual({ ofViewer: [], ofEnvironment: new Set([otherId]) });
  await other.player.release();
  expect(await live(subject)).toEqual({ ofViewer: [], ofEnvironment: new Set() });
});

test('at the limit, a browser learns no ids; the backend ends the chosen stream; a closed tab frees its slot', async () => {
  const subject = 'family';
  const [oldest, newest] = [
    openPage(await backend.createSession(watch(subject))),
    openPage(await backend.createSession(watch(subject))),
  ];
  const [oldestId, newestId] = [oldest.player.session.sessionId, newest.player.session.sessionId];
  const refusal = await backend.createSession(watch(subject)).catch((error) => error);
  expect(refusal.problem).toMatchObject({
    code: 'concurrent_stream_limit_reached',
    activeSessions: [{ sessionId: oldestId }, { sessionId: newestId }],
  });
  expect(backend.refusalForBrowser(refusal.problem)).toEqual({
    code: 'concurrent_stream_limit_reached',
    limit: 2,
    devices: ['web', 'web'],
  });

  await backend.terminateSession(subject, oldestId);
  expect(await live(subject)).toEqual({ ofViewer: [newestId], ofEnvironment: new Set([newestId]) });
  await oldest.player.renew();
  expect(oldest.ends).toEqual(['session_terminated']);

  newest.close();
  while ((await backend.listSessions(subject)).length > 0) await delay(20);
  expect((await live(subject)).ofEnvironment).toEqual(new Set());
  expect(newest.ends).toEqual([]);
});

test('the custom policy of Contract v1 is valid', async () => {
  const licensePolicy = JSON.parse(codeIn('contract-v1', 'json', 'Create a session'));
  const evaluation = await backend.evaluate({ ...watch('somebody'), licensePolicy });
  expect(evaluation).toMatchObject({
    allowed: true,
    policy: {
      maximumHeight: 1080,
      allowedTrackTypes: ['AUDIO', 'SD', 'HD'],
      maximumConcurrentStreams: 2,
      template: null,
    },
  });
});

test("two tabs of a viewer keep their sessions: a tab's next content replaces only what that tab played", async () => {
  const subject = 'viewer with two tabs';
  const route: Parameters<typeof openTab>[0] = (request) => backend.createSession({ ...watch(subject), ...request });
  const [one, other] = [openTab(route), openTab(route)];
  const first = await one.play(contentId);
  const second = await other.play(contentId);
  const ids = (...players: (typeof first)[]) => players.map(({ session }) => session.sessionId);
  expect((await live(subject)).ofViewer).toEqual(ids(first, second));

  const next = await one.play(contentId);
  expect((await live(subject)).ofViewer).toEqual(ids(second, next));
  await second.renew();
  await first.renew(); // a renewal of the replaced session would end the tab
  expect([one.ends, other.ends]).toEqual([[], []]);
  await Promise.all([second.release(), next.release()]);
});

test('a backend renews a session, and releases it at logout', async () => {
  const { sessionId, drm } = await backend.createSession({ ...watch('at-logout'), applicationId: 'web-shop' });
  const renewed = await backend.renewSession('at-logout', sessionId);
  expect(renewed.sessionId).toBe(sessionId);
  expect(renewed.drm.drmLicenseToken).not.toBe(drm.drmLicenseToken);
  expect(await backend.listSessions('at-logout')).toMatchObject([{ sessionId, applicationId: 'web-shop' }]);
  await backend.releaseSession('at-logout', sessionId);
  expect(await backend.listSessions('at-logout')).toEqual([]);
});

describe('behind a proxy', () => {
  const immediately = { setTimeout: (callback: () => void) => void setImmediate(callback) };
  const behind = (answer: (url: string, request: RequestInit) => Promise<Response>) =>
    startBackend(settings, { ...immediately, fetch: answer });

  test('that loses every response to a create, the slot is free once the backend has given up', async () => {
    let released: Promise<unknown> | undefined;
    const lossy = behind(async (url, request) => {
      const answered = fetch(url, request);
      if (url.endsWith('/release')) released = answered;
      await answered;
      throw new TypeError('fetch failed');
    });
    await expect(lossy.createSession(watch('unlucky'))).rejects.toThrow('fetch failed');
    await released;
    expect(await backend.listSessions('unlucky')).toEqual([]);
  });

  test('that answers for the service with JSON, the request is repeated and the error has the status', async () => {
    let calls = 0;
    const broken = behind(async () => {
      calls += 1;
      return Response.json({ message: 'Bad gateway' }, { status: 502 });
    });
    await expect(broken.listSessions('unlucky')).rejects.toThrow('HTTP 502, not from the service');
    expect(calls).toBe(3);
  });

  test('a refusal has the time after which to try again', async () => {
    const problem = { code: 'rate_limited', retryable: true, detail: 'Too many calls.', requestId: 'r' };
    const limited = behind(async () => Response.json(problem, { status: 429, headers: { 'Retry-After': '27' } }));
    await expect(limited.createSession(watch('hasty'))).rejects.toMatchObject({ problem, retryAfterSeconds: 27 });
  });
});
