import { setTimeout as sleep } from 'node:timers/promises';
import { type CreateSessionRequest, PlaybackClient, PlaybackProblem } from '@multi-drm/client';
import { openPage } from '@multi-drm/test-kit/documents/guide-player';
import type { Stage } from '@multi-drm/test-kit/stage/stage';
import type { Outcome } from '../outcome';
import { onStage } from '../scenario';

const heartbeatSeconds = 20;
/** 2.5 heartbeats. */
const lifetimeMilliseconds = 50_000;
/** The tolerance in milliseconds of when the slot is seen to be free, because of the time between and during attempts. */
const tolerance = 1_000;
const pauseBetweenAttempts = 200;

const request: CreateSessionRequest = {
  subject: 'two devices',
  contentId: 'lesson',
  contentType: 'vod',
  drmSystem: 'widevine',
  platformCapabilities: { clientPlatform: 'web', drmSystems: ['widevine'] },
  useEnvironmentDefaults: true,
};

/** A viewer has two streams, the limit. One player dies silently; the other renews with the package of docs/player.md. */
async function leavePlayerDead({ customer, playbackUrls }: Stage): Promise<Outcome> {
  const { clientId, accessKey } = await customer.createApiClient(['license-tokens:create', 'sessions:read']);
  const shop = new PlaybackClient({ url: playbackUrls[0] ?? '', environmentId: customer.siteId, clientId, accessKey });
  const create = () => shop.createSession(request);
  const active = openPage(await untilKnown(create));
  const activeId = active.player.session.sessionId;
  const deadId = (await create()).sessionId; // no player uses it
  const since = performance.now();
  const broken: string[] = [];
  for (let requests = 3; ; requests += 1) {
    const attempt = await create().catch((error) => error);
    const waited = performance.now() - since;
    if (attempt.code !== 'concurrent_stream_limit_reached') {
      if (attempt.sessionId === undefined) throw attempt;
      const held: string[] = [];
      for await (const { sessionId } of shop.listSessions({ subject: request.subject })) held.push(sessionId);
      if (held.join() !== [activeId, attempt.sessionId].join()) broken.push(`afterwards the slots are held by ${held}`);
      if (Math.abs(waited - lifetimeMilliseconds) > tolerance) broken.push(`the slot was free after ${waited} ms`);
      await active.player.renew();
      await active.player.release();
      if (active.ends.length > 0) broken.push(`the renewing player was stopped with ${active.ends}`);
      const notes = [`free after ${Math.round(waited)} ms; 2.5 heartbeats of ${heartbeatSeconds} s are 50,000 ms`];
      return { requests, failed: 0, recoveryMilliseconds: waited, broken, notes };
    }
    const named = attempt.activeSessions.map(({ sessionId }: { sessionId: string }) => sessionId);
    if (named.join() !== [activeId, deadId].join()) broken.push(`refused for ${named}`);
    if (waited > lifetimeMilliseconds + 10_000) throw new Error('the slot of the dead player does not become free');
    await sleep(pauseBetweenAttempts);
  }
}

/** Creates a session as soon as playback accepts the new API client. */
async function untilKnown<Session>(create: () => Promise<Session>): Promise<Session> {
  for (;;) {
    try {
      return await create();
    } catch (error) {
      if (!(error instanceof PlaybackProblem) || error.code !== 'client_authentication_failed') throw error;
      await sleep(50);
    }
  }
}

/** The slot of a dead player is free after 2.5 heartbeats; a player that renews keeps its slot. */
export const deadPlayer = onStage({ settings: { heartbeatSeconds } }, leavePlayerDead);
