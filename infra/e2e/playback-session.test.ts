import { createHmac, randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type ActiveSession,
  type CreateSessionRequest,
  PlaybackClient,
  PlaybackError,
  type SessionReference,
} from '@multi-drm/client';
import { contentId, makeBackendEnvironment, playRequest } from '@multi-drm/test-kit/documents/backend-environment';
import { type BackendSettings, codeIn, type GuideBackend, startBackend } from '@multi-drm/test-kit/documents/guide';
import { openPage, openTab } from '@multi-drm/test-kit/documents/guide-player';
import { UnreliableProxy } from '@multi-drm/test-kit/servers/unreliable-proxy';
import { DamagedCalls } from './damaged-calls';
import { startServices } from './started-services';

// Runs the unchanged code of docs/backend.md and docs/player.md against the services: these pages are all that an integrator has.

let settings: BackendSettings;
let backend: GuideBackend;
let playback: PlaybackClient;

jest.setTimeout(120_000);

beforeAll(async () => {
  const { controlPlane, playback: service } = await startServices();
  settings = await makeBackendEnvironment({ controlPlaneUrl: controlPlane.url, playbackUrl: service.url });
  backend = startBackend(settings);
  playback = backend.playback;
});

/** The request that a backend sends when a viewer presses play. */
const watch = (subject: string): CreateSessionRequest => ({ ...playRequest, subject, useEnvironmentDefaults: true });

/** The active sessions of a viewer, or of the environment. */
async function sessionsOf(subject?: string): Promise<ActiveSession[]> {
  const sessions: ActiveSession[] = [];
  for await (const session of playback.listSessions(subject === undefined ? {} : { subject })) sessions.push(session);
  return sessions;
}

/** The ids of a viewer's active sessions, oldest first, and of the environment's, in no particular order. */
async function readActive(subject: string): Promise<{ viewerSessions: string[]; environmentSessions: Set<string> }> {
  const [viewers, all] = await Promise.all([sessionsOf(subject), sessionsOf()]);
  const ids = (sessions: typeof all) => sessions.map(({ sessionId }) => sessionId);
  return { viewerSessions: ids(viewers), environmentSessions: new Set(ids(all)) };
}

test('create, three renewals, replacement and release, with the right lists of active sessions at every step', async () => {
  const subject = 'lms:3f9c viewer+1/ü';
  expect(await readActive(subject)).toEqual({ viewerSessions: [], environmentSessions: new Set() });

  const other = openPage(await playback.createSession(watch('somebody else')));
  const first = openPage(await playback.createSession(watch(subject)));
  const otherId = other.player.session.sessionId;
  const firstId = first.player.session.sessionId;
  expect(await readActive(subject)).toEqual({
    viewerSessions: [firstId],
    environmentSessions: new Set([firstId, otherId]),
  });

  for (let renewals = 0; renewals < 3; renewals += 1) {
    const before = first.player.session;
    await first.player.renew();
    const after = first.player.session;
    expect(Date.parse(after.expiresAt)).toBeGreaterThan(Date.parse(before.expiresAt));
    expect(after.drm.drmLicenseToken).not.toBe(before.drm.drmLicenseToken);
    expect(await sessionsOf(subject)).toEqual([
      expect.objectContaining({
        sessionId: firstId,
        subject,
        contentId,
        clientPlatform: 'web',
        expiresAt: after.expiresAt,
      }),
    ]);
    expect((await readActive(subject)).environmentSessions).toEqual(new Set([firstId, otherId]));
  }

  const next = openPage(await playback.createSession({ ...watch(subject), replacesSessionId: firstId }));
  const nextId = next.player.session.sessionId;
  expect(await readActive(subject)).toEqual({
    viewerSessions: [nextId],
    environmentSessions: new Set([nextId, otherId]),
  });
  await first.player.renew();
  expect(first.ends).toEqual(['session_released']);
  await next.player.renew();
  expect(await readActive(subject)).toEqual({
    viewerSessions: [nextId],
    environmentSessions: new Set([nextId, otherId]),
  });

  await next.player.release();
  expect(await readActive(subject)).toEqual({ viewerSessions: [], environmentSessions: new Set([otherId]) });
  await other.player.release();
  expect(await readActive(subject)).toEqual({ viewerSessions: [], environmentSessions: new Set() });
});

test('at the limit, a browser learns no ids; the backend ends the chosen stream; a closed tab frees its slot', async () => {
  const subject = 'family';
  const [oldest, newest] = [
    openPage(await playback.createSession(watch(subject))),
    openPage(await playback.createSession(watch(subject))),
  ];
  const [oldestId, newestId] = [oldest.player.session.sessionId, newest.player.session.sessionId];
  const refusal = await playback.createSession(watch(subject)).catch((error) => error);
  expect(refusal).toMatchObject({
    code: 'concurrent_stream_limit_reached',
    activeSessions: [{ sessionId: oldestId }, { sessionId: newestId }],
  });
  const code = 'concurrent_stream_limit_reached';
  expect(await backend.play({ viewer: { id: subject }, body: watch(subject) })).toMatchObject({
    status: 409,
    body: { code, retryable: false, limit: 2, devices: ['web', 'web'] },
  });
  expect(await backend.playing(subject)).toEqual(['lesson-0042 on web', 'lesson-0042 on web']);

  await backend.stop(subject, oldestId);
  expect(await readActive(subject)).toEqual({ viewerSessions: [newestId], environmentSessions: new Set([newestId]) });
  await oldest.player.renew();
  expect(oldest.ends).toEqual(['session_terminated']);

  newest.close();
  while ((await sessionsOf(subject)).length > 0) await delay(20);
  expect((await readActive(subject)).environmentSessions).toEqual(new Set());
  expect(newest.ends).toEqual([]);
});

test('the custom policy of Contract v1 is valid', async () => {
  const licensePolicy = JSON.parse(codeIn('contract-v1', 'json', 'Create a session'));
  const evaluation = await playback.evaluate({ ...watch('somebody'), licensePolicy });
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
  const route: Parameters<typeof openTab>[0] = (request) => playback.createSession({ ...watch(subject), ...request });
  const [one, other] = [openTab(route), openTab(route)];
  const first = await one.play(contentId);
  const second = await other.play(contentId);
  const ids = (...players: (typeof first)[]) => players.map(({ session }) => session.sessionId);
  expect((await readActive(subject)).viewerSessions).toEqual(ids(first, second));

  const next = await one.play(contentId);
  expect((await readActive(subject)).viewerSessions).toEqual(ids(second, next));
  await second.renew();
  await first.renew(); // a renewal of the replaced session would end the tab
  expect([one.ends, other.ends]).toEqual([[], []]);
  await Promise.all([second.release(), next.release()]);
});

test("the guide's backend starts a session, renews it, and releases it at logout", async () => {
  const { status, headers, body } = await backend.play({ viewer: { id: 'at-logout' }, body: watch('ignored') });
  expect({ status, headers }).toEqual({ status: 200, headers: { 'Cache-Control': 'no-store' } });
  const [{ sessionId = '' } = {}] = await sessionsOf('at-logout');
  expect(body).toMatchObject({ contractVersion: 1, sessionId });
  const renewed = await backend.renew('at-logout', sessionId);
  expect(renewed.sessionId).toBe(sessionId);
  expect(body).not.toHaveProperty('drm.drmLicenseToken', renewed.drm.drmLicenseToken);
  await backend.logOut('at-logout', [sessionId]);
  expect(await sessionsOf('at-logout')).toEqual([]);
});

test("the guide's receiver of webhooks prints an event of the service, and refuses others", async () => {
  const printed: string[] = [];
  const secret = randomBytes(32);
  const settingsWithSecret = { ...settings, WEBHOOK_SECRET: `whsec_${secret.toString('base64')}` };
  const receiver = startBackend(settingsWithSecret, (...line) => void printed.push(line.join(' ')));
  const body = Buffer.from(JSON.stringify({ id: 'event-1', type: 'session.started', data: { contentId } }));
  const timestamp = String(Math.floor(Date.now() / 1000));
  const signed = Buffer.concat([Buffer.from(`event-1.${timestamp}.`), body]);
  const signature = `v1,${createHmac('sha256', secret).update(signed).digest('base64')}`;
  const headers = { 'webhook-id': 'event-1', 'webhook-timestamp': timestamp, 'webhook-signature': signature };
  expect(await receiver.receive({ headers, body })).toMatchObject({ status: 204 });
  expect(printed).toEqual([`event-1 ${contentId}`]);
  expect(await receiver.receive({ headers, body: Buffer.from('{}') })).toMatchObject({ status: 401 });
  expect(printed).toHaveLength(1);
});

test('behind a proxy that drops, delays and garbles a third of the answers, each of 200 viewers gets one session or a clear error, and no slot is left over', async () => {
  const [proxy, damaged] = [await UnreliableProxy.start(settings.PLAYBACK_URL), new DamagedCalls()];
  proxy.use(damaged.behaviour);
  const releases: Promise<void>[] = [];
  const { SITE_ID: environmentId, CLIENT_ID: clientId, ACCESS_KEY: accessKey } = settings;
  const onRelease = (release: Promise<void>) => void releases.push(release);
  const unlucky = new PlaybackClient({ url: proxy.url, environmentId, clientId, accessKey, onRelease });
  const errors: unknown[] = [];
  let started = 0;
  // Not all together, because the plan has a hundred streams.
  const everybody = Array.from({ length: 200 }, (_, index) => `unlucky-${index}`);
  while (everybody.length > 0) {
    const viewers = everybody.splice(0, 67);
    const attempts = await Promise.allSettled(viewers.map((subject) => unlucky.createSession(watch(subject))));
    await Promise.all(releases);
    await damaged.idle();

    const held = attempts.flatMap((attempt, index) =>
      attempt.status === 'fulfilled' ? [{ subject: viewers[index] ?? '', sessionId: attempt.value.sessionId }] : [],
    );
    errors.push(...attempts.flatMap((attempt) => (attempt.status === 'rejected' ? [attempt.reason] : [])));
    started += held.length;
    const named = ({ subject, sessionId }: SessionReference) => `${subject} ${sessionId}`;
    const listed = (await sessionsOf()).filter(({ subject }) => subject.startsWith('unlucky-'));
    expect(listed.map(named).sort()).toEqual(held.map(named).sort());
    await Promise.all(held.map((session) => playback.releaseSession(session)));
  }
  expect(damaged.count).toBeGreaterThan(60);
  // How many succeed before their deadline depends on the machine.
  expect(started).toBeGreaterThan(100);
  expect(errors).toHaveLength(200 - started);
  expect(errors.filter((error) => !(error instanceof PlaybackError))).toEqual([]);
});
