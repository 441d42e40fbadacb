import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Call, send } from '@multi-drm/test-kit/load/calls';
import type { Customer } from '@multi-drm/test-kit/services/customer';
import type { Stage } from '@multi-drm/test-kit/stage/stage';
import type { Redis } from 'ioredis';
import { measureBeside } from '../beside-hostile-calls';
import type { HostileCalls } from '../hostile-process';
import { onStage } from '../scenario';
import { fromItsAddress, options, playbackCall, type StartedSession, started } from './hostile-tenants';

/** How many sessions the hostile tenant tries to start for one viewer. */
const wanted = 1_000;

/** `maximumConcurrentStreams`: absent for no limit, because the environment has none. */
const policyOf = (atStreamLimit: 'reject' | 'evict-oldest', limits: { maximumConcurrentStreams?: number }) => ({
  licensePolicy: {
    maximumHeight: 1080,
    atStreamLimit,
    ...limits,
    tracks: [{ trackTypes: ['AUDIO', 'SD', 'HD'], widevine: { securityLevel: 1, hdcp: 'none' } }],
  },
});

function createCall(
  stage: Stage,
  hostile: Customer,
  subject: string,
  { path = '/sessions', atStreamLimit = 'reject', ...limits }: CreateOptions = {},
): Call {
  const body = { contentId: 'lesson', contentType: 'vod', drmSystem: 'widevine', subject };
  return playbackCall(stage, hostile, path, { ...body, ...policyOf(atStreamLimit, limits) });
}

interface CreateOptions {
  path?: string;
  atStreamLimit?: 'reject' | 'evict-oldest';
  maximumConcurrentStreams?: number;
}

/** Removes a session from Redis as a failover would that lost it. */
async function lose(redis: Redis, { siteId }: Customer, subject: string, { sessionId }: StartedSession): Promise<void> {
  const [key] = await redis.keys(`slots:*:${siteId}:${subject}`);
  if (key === undefined || (await redis.hdel(key, sessionId)) !== 1) throw new Error('the session was not found');
}

/**
 * The calls of a tenant that evaluates, lists, creates and is refused, creates and evicts, and reserves lost sessions again, which
 * finds no room. Each viewer has as many sessions as the limit allows; without a limit, as many as there can be.
 */
async function callsFor(stage: Stage, hostile: Customer, limits: CreateOptions): Promise<HostileCalls> {
  const redis = stage.redis.connect();
  const reader = hostile.with({ apiClient: await hostile.createApiClient(['sessions:read']) });
  const calls: Call[] = [];
  for (const kind of ['refused', 'evicting'] as const) {
    const subject = `${kind}-${randomUUID()}`;
    const lost = await started(createCall(stage, hostile, subject, limits));
    await lose(redis, hostile, subject, lost);
    const create = createCall(stage, hostile, subject, limits);
    for (let index = 0; index < wanted && (await send(create)).status === 200; index += 1);
    const listed = playbackCall(stage, reader, `/sessions?subject=${subject}&limit=200`);
    while ((await send(listed)).status !== 200) await sleep(50);
    calls.push(
      createCall(stage, hostile, subject, { ...limits, path: '/sessions/evaluations' }),
      listed,
      createCall(stage, hostile, subject, {
        ...limits,
        atStreamLimit: kind === 'evicting' ? 'evict-oldest' : 'reject',
      }),
      {
        ...playbackCall(stage, hostile, `/sessions/${lost.sessionId}/renew`, {}),
        headers: { ...fromItsAddress, Authorization: `Bearer ${lost.drm.drmLicenseToken}` },
      },
    );
  }
  redis.disconnect();
  return { parallel: 16, calls };
}

/**
 * A hostile tenant tries to hold a thousand sessions of one viewer, and calls everything that reads all of them. Compared with the same
 * calls for viewers with one session.
 */
export const viewerOf1000 = onStage(options, async (stage) => {
  const hostile = await stage.addCustomer({ maximumConcurrentStreams: null });
  const attacks = {
    here: await callsFor(stage, hostile, {}),
    elsewhere: await callsFor(stage, hostile, { maximumConcurrentStreams: 1 }),
  };
  return measureBeside(stage, attacks, { share: 0.5, other: 'the same calls for viewers with one session' });
});
