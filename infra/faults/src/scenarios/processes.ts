import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { HealthWatch } from '../health-watch';
import { underLoad } from '../machine-delay';
import { auditOf, warmUp } from '../outage';
import { unexplained } from '../outcome';
import { onStage, type Scenario } from '../scenario';
import { heldSlots } from '../slot-audit';

/** The minimum of an environment, to keep the scenario short. */
const lifetimeSeconds = 60;

export const processScenarios: Record<string, Scenario> = {
  'playback-killed-in-the-middle-of-creates': onStage(
    { playbacks: 2, settings: { sessionLifetimeSeconds: lifetimeSeconds } },
    async (stage) => {
      await warmUp(stage);
      const [victim, other] = stage.playbacks;
      if (victim === undefined || other === undefined) throw new Error('the stage must have two playback processes');
      // Bursts to the process that is killed, so that some creates have a slot but no response.
      const victims = stage.load({ prefix: 'victim', baseUrls: () => [victim.url], callsPerSecond: 0.1 });
      const others = stage.load({ baseUrls: () => [other.url] });
      others.start();
      const creates: Promise<unknown>[] = [];
      for (let round = 0; round < 3; round += 1) {
        for (let call = 0; call < 60; call += 1) creates.push(victims.create(`victim-${randomUUID()}`));
        await sleep(15 + 10 * round);
        await victim.kill();
        await victim.start();
      }
      await Promise.all(creates);
      await others.stop();
      const known = victims.ledger.sessions;
      const orphans = async () =>
        [...(await heldSlots(stage.redis.connect(), stage.customer.siteId))].filter(
          ([id, { subject }]) => subject.startsWith('victim-') && !known.has(id),
        ).length;
      const left = await orphans();
      await sleep(lifetimeSeconds * 1_000 + 1_000);
      const stillHeld = await orphans();
      const broken = unexplained(others.answers, []);
      if (stillHeld > 0) broken.push(`${stillHeld} slots are still held after their expiry`);
      const outcome = await auditOf(stage, others, broken);
      return {
        ...outcome,
        requests: outcome.requests + victims.sent,
        failed: outcome.failed + victims.answers.filter(({ status }) => status !== 200).length,
        lostSlots: (outcome.lostSlots ?? 0) + stillHeld,
        notes: [`${left} slots without a response after three kills, ${stillHeld} after their lifetime of a minute`],
      };
    },
  ),

  'rolling-restart': onStage(
    { playbacks: 3, playback: () => ({ environment: { SHUTDOWN_DELAY_MILLISECONDS: '3000' } }) },
    async (stage) => {
      await warmUp(stage);
      const watches = stage.playbacks.map(({ url }) => ({ url, watch: new HealthWatch(url, 'ready', 100) }));
      await sleep(500);
      // Like a load balancer: the processes whose last readiness check succeeded.
      const ready = () => watches.filter(({ watch }) => watch.status === 200).map(({ url }) => url);
      const load = stage.load({ baseUrls: ready });
      load.start();
      await sleep(1_000);
      const broken: string[] = [];
      for (const service of stage.playbacks) {
        const code = await service.stop();
        if (code !== 0) broken.push(`a process ended with ${code}`);
        await service.start();
        await sleep(1_000);
      }
      await load.stop();
      await Promise.all(watches.map(({ watch }) => watch.stop()));
      broken.push(...unexplained(load.answers, []));
      return auditOf(stage, load, broken);
    },
  ),

  ...Object.fromEntries(
    [
      ['ahead', 3_600_000],
      ['behind', -3_600_000],
    ].map(([direction, milliseconds]) => [
      `clocks-an-hour-${direction}`,
      onStage(
        {
          playbacks: 2,
          playback: () => ({
            nodeOptions: [`--require=${require.resolve('../shifted-clock.cjs')}`],
            environment: { SHIFTED_CLOCK_MILLISECONDS: String(milliseconds) },
          }),
        },
        async (stage) => {
          await warmUp(stage);
          const load = stage.load();
          const { broken } = await underLoad(stage.playbackUrls, load, () => sleep(5_000));
          const wrong = [...load.ledger.sessions.values()].filter(
            ({ expiresAt }) => Math.abs(expiresAt - Date.now() - 600_000) > 60_000,
          );
          if (wrong.length > 0) broken.push(`${wrong.length} sessions have a wrong expiry`);
          return auditOf(stage, load, broken);
        },
      ),
    ]),
  ),
};
