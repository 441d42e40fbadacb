import { Stage } from '@multi-drm/test-kit/stage/stage';
import { ClusterRedis, type MigratedSlots } from '../cluster-redis';
import { everyCall, runOutage } from '../outage';
import type { Outcome } from '../outcome';
import { onStarted, type Scenario } from '../scenario';
import { killPrimaryUnderLoad } from './primary-killed';

const onCluster = (run: (stage: Stage<ClusterRedis>) => Promise<Outcome>): Scenario =>
  onStarted(async () => Stage.startOn(await ClusterRedis.start(), { playbacks: 2 }), run);

/** Many viewers, so that every primary has some. */
const load = { callsPerSecond: 50, viewers: 200 };

/** Moves most hash slots of a primary, with the active sessions in them, to another one under load. */
async function migrate(stage: Stage<ClusterRedis>): Promise<Outcome> {
  let migrated: MigratedSlots = { slots: 0, keys: 0, sessions: 0 };
  let took = 0;
  const outcome = await runOutage(stage, {
    begin: async (_, running) => {
      for (let index = 0; index < load.viewers; index += 1) await running.create(`${running.prefix}-${index}`);
      const since = Date.now();
      migrated = await stage.redis.migrate(0, 4_999);
      took = Date.now() - since;
    },
    lasts: 0,
    end: () => undefined,
    fails: everyCall,
    recoversWithin: 1_000,
    load,
  });
  const { slots, keys, sessions } = migrated;
  outcome.notes?.push(`${slots} hash slots with ${keys} keys and ${sessions} active sessions migrated in ${took} ms`);
  if (sessions === 0) outcome.broken.push('there were no active sessions in the hash slots');
  return outcome;
}

export const clusterChanges: Record<string, Scenario> = {
  'cluster-node-killed': onCluster((stage) =>
    killPrimaryUnderLoad(stage, { promoted: () => stage.redis.promoted(), load }),
  ),
  'cluster-slots-migrated': onCluster(migrate),
};
