import { setTimeout as sleep } from 'node:timers/promises';
import { runOnDatabase } from '@multi-drm/test-kit';
import { Stage } from '@multi-drm/test-kit/stage/stage';
import type { LinkedRedis, StageRedis } from '@multi-drm/test-kit/stage/stage-redis';
import { HealthWatch } from '../health-watch';
import { MachineDelay } from '../machine-delay';
import { auditOf, everyCall, warmUp } from '../outage';
import { isOutageAnswer, type Outcome, unexplained } from '../outcome';
import { RevokedCalls } from '../revoked-calls';
import { onStage, onStarted, type Scenario } from '../scenario';
import { SentinelRedis } from '../sentinel-redis';

/** How Redis gets into an older state. */
interface Loss<Servers extends StageRedis> {
  /** Before anything is revoked. Returns a function that takes Redis back to this time, and resolves when it answers again. */
  begin: (redis: Servers) => () => Promise<void>;
  /** Whether nothing is revoked after that. */
  losesNothing?: boolean;
  /** Milliseconds for which the control plane is down from before Redis is taken back. */
  withoutControlPlane?: number;
}

/** Milliseconds from when Redis answers again. */
const bound = 1_000;

/** Revokes, blocks and archives, and then takes Redis back to before that. */
async function takeBack<Servers extends StageRedis>(stage: Stage<Servers>, loss: Loss<Servers>): Promise<Outcome> {
  const { controlPlane, playbackUrls } = stage;
  const { withoutControlPlane = 0, losesNothing = false } = loss;
  const revoked = await RevokedCalls.prepare(stage);
  await warmUp(stage);
  if (losesNothing) await revoked.revoke();
  const startFromThen = loss.begin(stage.redis);
  if (!losesNothing) await revoked.revoke();
  const machine = new MachineDelay(playbackUrls);
  if (withoutControlPlane > 0) await controlPlane.kill();
  revoked.start();
  const began = Date.now();
  await startFromThen();
  const back = Date.now();
  const load = stage.load({ prefix: 'afterwards' });
  load.start();
  const faults: string[] = [];
  if (withoutControlPlane > 0) {
    const watches = playbackUrls.map((url) => new HealthWatch(url, 'ready'));
    await sleep(withoutControlPlane);
    if (watches.some(({ status }) => status !== 503)) faults.push('a process was ready without the control plane');
    const { status } = await revoked.release();
    if (status !== 204) faults.push(`a release by a player was answered ${status}`);
    await Promise.all(watches.map((watch) => watch.stop()));
    await controlPlane.start();
  }
  const publishes = Date.now();
  while (load.recoveredAfter(publishes) === undefined && Date.now() < publishes + 15_000) await sleep(20);
  await sleep(2_500);
  await Promise.all([load.stop(), revoked.stop()]);
  const { slack, broken } = await machine.stop();
  broken.push(...faults);

  const served = revoked.lastServed(began);
  if (served.milliseconds > 0) {
    broken.push(
      `${served.name} was served until ${Math.round(served.milliseconds - (back - began))} ms after Redis was back`,
    );
  }
  const incomplete = load.answers.filter(({ body }) => String(body.detail).includes('incomplete'));
  if (losesNothing && incomplete.length > 0)
    broken.push(`nothing was lost, and ${incomplete.length} calls were refused`);
  const until = publishes + bound + slack;
  const allows = (answer: (typeof load.answers)[number]) =>
    everyCall.includes(answer.operation) && isOutageAnswer(answer, slack);
  broken.push(...unexplained(load.answers, [{ from: began, to: until, allows }, ...machine.excuses(slack)]));
  const last = Math.max(publishes, ...incomplete.map(({ sentAt, milliseconds }) => sentAt + milliseconds)) - publishes;
  const outcome = await auditOf(stage, load, broken);
  return {
    ...outcome,
    requests: outcome.requests + revoked.answers.length,
    recoveryMilliseconds: last,
    notes: [
      `503 for ${incomplete.length} calls, until ${Math.round(last)} ms after Redis and the control plane were there; the machine's own delay up to ${Math.round(slack)} ms`,
    ],
  };
}

/** Starts Redis from a copy of its files. */
const fromCopy: Loss<LinkedRedis> = { begin: (redis) => redis.copy() };

/** Promotes a replica that has received nothing for a while. */
const promotedWithoutLatest = onStarted(
  async () => Stage.startOn(await SentinelRedis.start({ behindLink: true }), { playbacks: 2 }),
  (stage) => {
    const begin = (redis: SentinelRedis) => {
      redis.cutOffReplicas();
      return async () => {
        redis.killPrimary();
        await redis.promoted();
        await redis.named();
      };
    };
    return takeBack(stage, { begin });
  },
);

export const staleScenarios: Record<string, Scenario> = {
  'stale-redis': onStage({ playbacks: 2 }, (stage) => takeBack(stage, fromCopy)),
  'stale-redis-beside-100000-contents': onStage({ playbacks: 2 }, async (stage) => {
    await publishContents(stage, 100_000);
    return takeBack(stage, fromCopy);
  }),
  'stale-redis-without-control-plane': onStage({ playbacks: 2 }, (stage) =>
    takeBack(stage, { ...fromCopy, withoutControlPlane: 4_000 }),
  ),
  'stale-redis-nothing-lost': onStage({ playbacks: 2 }, (stage) =>
    takeBack(stage, { ...fromCopy, losesNothing: true }),
  ),
  'stale-redis-promoted': promotedWithoutLatest,
};

/** Adds a neighbour with so many contents, and waits until they are published. */
async function publishContents(stage: Stage, count: number): Promise<void> {
  const { siteId } = await stage.addCustomer();
  await runOnDatabase(
    stage.databaseUrl,
    `WITH content AS (
       INSERT INTO content_asset (id, environment_id, content_id, kind, title, audio_languages, subtitle_languages, updated_at)
       SELECT gen_random_uuid(), $1::uuid, 'content-' || n, 'vod', 'A lesson', '{}', '{}', now()
       FROM generate_series(1, $2::int) n
       RETURNING id
     )
     INSERT INTO outbox_entry (document_kind, document_id, bulk) SELECT 'content', id, true FROM content`,
    [siteId, String(count)],
  );
  const pending = 'SELECT 1 FROM outbox_entry LIMIT 1';
  while ((await runOnDatabase(stage.databaseUrl, pending)).length > 0) await sleep(250);
}
