import { setTimeout as sleep } from 'node:timers/promises';
import { residentMebibytes } from '@multi-drm/test-kit/load/process-figures';
import { withTestServers } from '@multi-drm/test-kit/servers/stand-alone-servers';
import { Stage } from '@multi-drm/test-kit/stage/stage';
import { Redis } from 'ioredis';
import { memoryGrowth } from './memory-growth';
import { warmUp } from './outage';
import { countFailed, unexplained } from './outcome';

/** The minimum of an environment, so that sessions also expire. */
const lifetimeSeconds = 60;

/**
 * `npm run soak -- <minutes>`: a mixed load on both services. Prints the memory of each process every minute. The exit code is 1 if
 * memory grows after the fifth minute, if a call failed, or if Redis keeps anything but expiring records of sessions.
 */
export async function main([argument]: string[]): Promise<number> {
  const minutes = Number(argument);
  if (!(minutes > 0)) {
    console.error('Usage: npm run soak -- <minutes>');
    return 2;
  }
  return withTestServers(async () => {
    const stage = await Stage.start({ playbacks: 2, settings: { sessionLifetimeSeconds: lifetimeSeconds } });
    try {
      return await soak(stage, minutes);
    } finally {
      await stage.close();
    }
  });
}

async function soak(stage: Stage, minutes: number): Promise<number> {
  await warmUp(stage);
  const redis = new Redis(stage.redis.url);
  const keysBefore = await lastingKeys(redis);
  const load = stage.load({ viewers: 200 });
  const writer = writeContinuously(stage);
  const names = ['control plane', 'playback 1', 'playback 2', 'Redis'];
  console.log(['minute', ...names.map((name) => `${name}, MiB`), 'calls', 'failed'].join('\t'));
  const rows: number[][] = [];
  load.start();
  for (let minute = 1; minute <= minutes; minute += 1) {
    await sleep(60_000);
    const used = [
      ...stage.services.map(({ pid }) => residentMebibytes(pid)),
      residentMebibytes(stage.redis.process.pid),
    ];
    rows.push(used);
    console.log([minute, ...used, load.answers.length, countFailed(load.answers)].join('\t'));
  }
  await load.stop();
  const writes = await writer.stop();
  const findings: string[] = [];
  // Not Redis, which remembers the ids of sessions for a day.
  for (const [index, name] of names.slice(0, 3).entries()) {
    const growth = memoryGrowth(rows.map((row) => row[index] ?? 0));
    if (growth !== undefined) findings.push(`${name} has grown from ${growth.from} to ${growth.to} MiB`);
  }
  const failed = countFailed(load.answers);
  if (failed > 0) findings.push(`${failed} calls failed`);
  // Until the last sessions have expired and were swept.
  await sleep((lifetimeSeconds + 5) * 1_000);
  const { left, forgotten } = await forgetEndedSessions(redis, keysBefore);
  if (left.length > 0) findings.push(`Redis keeps ${left.length} keys without expiry, such as ${left[0]}`);
  redis.disconnect();
  console.log(
    `${load.sent} calls, ${failed} failed, ${writes} writes; Redis still had ${forgotten} keys of ended sessions,`,
  );
  console.log(`all of which expire; without them, it has the same keys as before: ${left.length === 0}`);
  for (const finding of [...findings, ...unexplained(load.answers, [])]) console.log(finding);
  return findings.length === 0 ? 0 : 1;
}

/** Changes viewers continuously, one at a time. */
function writeContinuously(stage: Stage): { stop(): Promise<number> } {
  let stopped = false;
  let writes = 0;
  const running = (async () => {
    for (; !stopped; writes += 1) {
      await stage.customer.synchronize({ subject: `viewer-${writes % 200}`, maximumConcurrentStreams: 2 });
      await sleep(100);
    }
  })();
  return {
    stop: async () => {
      stopped = true;
      await running;
      return writes;
    },
  };
}

async function lastingKeys(redis: Redis): Promise<Set<string>> {
  const keys = new Set<string>();
  for (const key of await redis.keys('*')) if ((await redis.pttl(key)) === -1) keys.add(key);
  return keys;
}

/** Removes all keys with an expiry; resolves to the remaining keys that are neither published nor existed before. */
async function forgetEndedSessions(redis: Redis, before: Set<string>): Promise<{ left: string[]; forgotten: number }> {
  let forgotten = 0;
  const left: string[] = [];
  for (const key of await redis.keys('*')) {
    if ((await redis.pttl(key)) >= 0) forgotten += await redis.unlink(key);
    else if (!before.has(key) && !key.startsWith('published:')) left.push(key);
  }
  return { left, forgotten };
}
