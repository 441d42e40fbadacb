import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort } from '@multi-drm/test-kit';
import { ServiceProcess } from '@multi-drm/test-kit/services/service-process';
import type { Stage } from '@multi-drm/test-kit/stage/stage';
import { HealthWatch } from '../health-watch';
import { auditOf, warmUp } from '../outage';
import { type Outcome, unexplained } from '../outcome';
import { onStage, type Scenario } from '../scenario';

const newKey = (id: string) => `${id}:${randomBytes(32).toString('base64')}`;
const [first, second, other] = [newKey('first'), newKey('second'), newKey('other')];

/** How long a process may take to become ready, and how long one that must not is watched. */
const patience = { required: 30_000, forbidden: 5_000 };

/**
 * `SECRET_KEYS` of the control plane are rotated, and then replaced by mistake: what runs goes on playing, and a new playback process
 * becomes ready only with a key of the control plane.
 */
export const otherSecretKeys: Scenario = async () => {
  const metricsPort = await findFreePort();
  const playback = () => ({ environment: { SECRET_KEYS: first, METRICS_PORT: String(metricsPort) } });
  const run = onStage({ controlPlane: { environment: { SECRET_KEYS: first } }, playback }, (stage) =>
    rotateAndReplace(stage, metricsPort),
  );
  return run();
};

async function rotateAndReplace(stage: Stage, metricsPort: number): Promise<Outcome> {
  await warmUp(stage);
  const [running] = stage.playbacks;
  if (running === undefined) throw new Error('the stage has no playback process');
  const broken: string[] = [];
  const load = stage.load();
  const watch = new HealthWatch(running.url, 'ready', 100);
  load.start();
  await stage.controlPlane.stop();
  for (const [keys, startsWith, becomesReady] of [
    [`${second},${first}`, first, true],
    [`${second},${first}`, second, true],
    [`${second},${first}`, other, false],
    [other, first, false],
  ] as const) {
    const controlPlane = await ServiceProcess.controlPlane(stage.databaseUrl, stage.redis.settings, {
      environment: { SECRET_KEYS: keys },
    });
    await controlPlane.start();
    if (
      (await isReadyWith(stage, startsWith, becomesReady ? patience.required : patience.forbidden)) !== becomesReady
    ) {
      broken.push(`a process with ${startsWith.split(':')[0]} ${becomesReady ? 'did not become' : 'became'} ready`);
    }
    await controlPlane.stop();
  }
  const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  if (!/^multi_drm_secret_keys_differ 1$/m.test(metrics)) broken.push('the metric of the running process is not 1');
  await load.stop();
  await watch.stop();
  const notReady = watch.answers.filter(({ status }) => status !== 200).length;
  if (notReady > 0) broken.push(`the running process was not ready ${notReady} times`);
  return auditOf(stage, load, [...broken, ...unexplained(load.answers, [])]);
}

/** Whether a playback process with these keys becomes ready within this time. */
async function isReadyWith(stage: Stage, keys: string, milliseconds: number): Promise<boolean> {
  const process = await ServiceProcess.playback(stage.redis.settings, { environment: { SECRET_KEYS: keys } });
  const stopped = new AbortController();
  const started = process.start().then(
    () => true,
    () => false, // killed below
  );
  const gaveUp = sleep(milliseconds, false, { signal: stopped.signal }).catch(() => false);
  const ready = await Promise.race([started, gaveUp]);
  stopped.abort();
  await process.kill();
  await started;
  return ready;
}
