import { setTimeout as sleep } from 'node:timers/promises';
import { type GuideBackend, openPage, startBackend } from '../../../e2e/guide';
import type { Outcome } from '../outcome';
import { onStage } from '../scenario';
import type { Stage } from '../stage';

const heartbeatSeconds = 20;
/** Of 2.5 heartbeats. */
const lifetimeMilliseconds = 50_000;
/** How much sooner or later the slot may be seen to be free: attempts are this far apart, and each takes its time. */
const tolerance = 1_000;
const pauseBetweenAttempts = 200;

type CreateRequest = Parameters<GuideBackend['createSession']>[0];

const request: CreateRequest = {
  subject: 'two devices',
  contentId: 'lesson',
  contentType: 'vod',
  drmSystem: 'widevine',
  platformCapabilities: { clientPlatform: 'web', drmSystems: ['widevine'] },
};

/** A viewer has two streams, the limit. One player dies without a word, the other one renews by the guide's code. */
async function leavePlayerDead({ customer, playbackUrls }: Stage): Promise<Outcome> {
  const { clientId, accessKey } = await customer.createApiClient(['license-tokens:create', 'sessions:read']);
  const shop = startBackend({
    PLAYBACK_URL: playbackUrls[0] ?? '',
    SITE_ID: customer.siteId,
    CLIENT_ID: clientId,
    ACCESS_KEY: accessKey,
  });
  const create = () => shop.createSession(request);
  const living = openPage(await untilKnown(create));
  const livingId = living.player.session.sessionId;
  const deadId = (await create()).sessionId; // no player takes it up
  const since = performance.now();
  const broken: string[] = [];
  for (let requests = 3; ; requests += 1) {
    const attempt = await create().catch((error) => error);
    const waited = performance.now() - since;
    if (attempt.problem?.code !== 'concurrent_stream_limit_reached') {
      if (attempt.sessionId === undefined) throw attempt;
      const held = (await shop.listSessions(request.subject)).map(({ sessionId }) => sessionId);
      if (held.join() !== [livingId, attempt.sessionId].join()) broken.push(`afterwards the slots are held by ${held}`);
      if (Math.abs(waited - lifetimeMilliseconds) > tolerance) broken.push(`the slot was free after ${waited} ms`);
      await living.player.renew();
      await living.player.release();
      if (living.ends.length > 0) broken.push(`the player that renews was told ${living.ends}`);
      const notes = [`free after ${Math.round(waited)} ms, by 2.5 heartbeats of ${heartbeatSeconds} s after 50,000`];
      return { requests, failed: 0, overAdmitted: 0, lostSlots: 0, recoveryMilliseconds: waited, broken, notes };
    }
    const named = attempt.problem.activeSessions.map(({ sessionId }: { sessionId: string }) => sessionId);
    if (named.join() !== [livingId, deadId].join()) broken.push(`refused for ${named}`);
    if (waited > lifetimeMilliseconds + 10_000) throw new Error('the slot of the dead player is never free');
    await sleep(pauseBetweenAttempts);
  }
}

/** The first session that playback lets the API client create: it was made a moment ago. */
async function untilKnown<Session>(create: () => Promise<Session>): Promise<Session> {
  for (;;) {
    try {
      return await create();
    } catch (error) {
      const { problem } = error as { problem?: { code: string } };
      if (problem?.code !== 'client_authentication_failed') throw error;
      await sleep(50);
    }
  }
}

/** A player that dies frees its slot within 2.5 heartbeats, by the clock; one that renews keeps its own. */
export const deadPlayer = onStage({ settings: { heartbeatSeconds } }, leavePlayerDead);
