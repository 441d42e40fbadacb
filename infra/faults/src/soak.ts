import { setTimeout as sleep } from 'node:timers/promises';
import { withTestServers } from '@multi-drm/local/stand-alone-servers';
import { Redis } from 'ioredis';
import { warmUp } from './outage';
import { countFailed, unexplained } from './outcome';
import { residentMebibytes } from './resident-memory';
import { Stage } from './stage';

/** From this minute on memory is to stay as it is. */
const flatFrom = 5;
const mostGrowth = 1.2;

/** The shortest that an environment may have: sessions end by time, too. */
const lifetimeSeconds = 60;

/**
 * `npm run soak -- <minutes>`: a mixed load on both services. Prints each minute how much memory each process takes; the exit
 * code is 1 where it grows by a fifth after the fifth minute, where a call failed, or where Redis is left with more than
 * records of sessions that it forgets by itself.
 */
async function main(minutes: number): Promise<number> {
  if (!(minutes > 0)) {
    console.error('usage: npm run soak -- <minutes>');
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
  const writer = writeAllTheTime(stage);
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
  const faults: string[] = [];
  const [flat, last] = [rows[flatFrom - 1], rows.at(-1)];
  if (flat !== undefined && last !== undefined && rows.length > flatFrom) {
    // Redis remembers the ids of sessions for a day.
    last.slice(0, 3).forEach((used, index) => {
      if (used > mostGrowth * (flat[index] ?? 0))
        faults.push(`${names[index]} has grown from ${flat[index]} to ${used} MiB`);
    });
  }
  const failed = countFailed(load.answers);
  if (failed > 0) faults.push(`${failed} calls failed`);
  await sleep((lifetimeSeconds + 2) * 1_000);
  const { left, forgotten } = await forgetEndedSessions(redis, keysBefore);
  if (left.length > 0) faults.push(`Redis keeps ${left.length} keys for good, such as ${left[0]}`);
  redis.disconnect();
  console.log(
    `${load.sent} calls, ${failed} failed, ${writes} writes; of sessions that have ended Redis still knew ${forgotten} keys,`,
  );
  console.log(`each of which it forgets by itself; without them it holds what it held before: ${left.length === 0}`);
  for (const fault of [...faults, ...unexplained(load.answers, [])]) console.log(fault);
  return faults.length === 0 ? 0 : 1;
}

/** Changes viewers, one after the other. */
function writeAllTheTime(stage: Stage): { stop(): Promise<number> } {
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

/** Has Redis forget at once what has an expiry; resolves to the keys left that are neither published nor were there before. */
async function forgetEndedSessions(redis: Redis, before: Set<string>): Promise<{ left: string[]; forgotten: number }> {
  let forgotten = 0;
  const left: string[] = [];
  for (const key of await redis.keys('*')) {
    if ((await redis.pttl(key)) >= 0) forgotten += await redis.unlink(key);
    else if (!before.has(key) && !key.startsWith('published:')) left.push(key);
  }
  return { left, forgotten };
}

main(Number(process.argv[2])).then(
  (code) => process.exit(code),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
