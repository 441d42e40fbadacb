import { Stage } from '@multi-drm/test-kit/stage/stage';
import type { Outcome } from '../outcome';
import { onStarted, type Scenario } from '../scenario';
import { SentinelRedis } from '../sentinel-redis';
import { killPrimaryUnderLoad, type ReplicasCutOff } from './primary-killed';

/** Kills the primary under load and waits until a Sentinel has promoted a replica. */
async function failOver(stage: Stage<SentinelRedis>, cutOff?: ReplicasCutOff): Promise<Outcome> {
  let unnamed = 0;
  const promoted = async () => {
    await stage.redis.promoted();
    const since = Date.now();
    await stage.redis.named();
    unnamed = Date.now() - since;
  };
  const outcome = await killPrimaryUnderLoad(stage, { promoted, ...(cutOff === undefined ? {} : { cutOff }) });
  outcome.notes?.push(`the promoted server accepted writes ${unnamed} ms before the Sentinel named it`);
  return outcome;
}

/** Milliseconds. */
const cutOffLasts = 6_000;

interface Options {
  /** The seconds of `min-replicas-max-lag`, with `min-replicas-to-write 1`; undefined: neither is set. */
  maxLag?: number;
  /** Whether the replicas receive nothing for some seconds before the primary is killed. */
  cutOff?: boolean;
}

function failover({ maxLag, cutOff = false }: Options = {}): Scenario {
  const directives = maxLag === undefined ? [] : ['min-replicas-to-write 1', `min-replicas-max-lag ${maxLag}`];
  // Redis counts whole seconds, and looks once a second.
  const writesFor = maxLag === undefined ? cutOffLasts : (maxLag + 2) * 1_000;
  return onStarted(
    async () => Stage.startOn(await SentinelRedis.start({ directives, behindLink: cutOff }), { playbacks: 2 }),
    (stage) => {
      const begin = () => stage.redis.cutOffReplicas();
      return failOver(stage, cutOff ? { begin, lasts: cutOffLasts, writesFor } : undefined);
    },
  );
}

export const sentinelFailovers: Record<string, Scenario> = {
  'sentinel-failover': failover(),
  'sentinel-failover-max-lag-1': failover({ maxLag: 1 }),
  'sentinel-failover-max-lag-2': failover({ maxLag: 2 }),
  'sentinel-replicas-cut-off': failover({ cutOff: true }),
  'sentinel-replicas-cut-off-max-lag-1': failover({ cutOff: true, maxLag: 1 }),
  'sentinel-replicas-cut-off-max-lag-2': failover({ cutOff: true, maxLag: 2 }),
};
