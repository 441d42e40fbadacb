import { setTimeout as sleep } from 'node:timers/promises';
import type { Load, LoadOptions } from '@multi-drm/test-kit/load/load';
import type { Stage } from '@multi-drm/test-kit/stage/stage';
import type { StageRedis } from '@multi-drm/test-kit/stage/stage-redis';
import { auditEvents } from '../events/audit-events';
import { type FailoverLoss, noteLoss, viewersBeyondLimit } from '../failover-loss';
import { everyCall, runOutage } from '../outage';
import type { Outcome } from '../outcome';

/** Servers of which one primary can be killed, and has replicas. */
export interface ReplicatedRedis extends StageRedis {
  killPrimary(): Promise<void> | void;
  connectToReplicas(): ReturnType<StageRedis['connect']>[];
}

/** Milliseconds before the kill in which a write may be lost although replicas are connected: the last instants. */
const lastInstants = 500;

export interface ReplicasCutOff {
  begin: () => void;
  /** Milliseconds. */
  lasts: number;
  /** Milliseconds for which the primary may still accept writes. */
  writesFor: number;
}

export interface PrimaryKilled {
  /** Resolves once a replica is promoted; everything then works within a second. */
  promoted: () => Promise<void>;
  /** Before the kill, replicas receive nothing. */
  cutOff?: ReplicasCutOff;
  load?: Partial<LoadOptions>;
}

/** Kills a primary under load and counts what its failover lost. */
export async function killPrimaryUnderLoad<Servers extends ReplicatedRedis>(
  stage: Stage<Servers>,
  { promoted, cutOff, load: options = { callsPerSecond: 50, viewers: 40 } }: PrimaryKilled,
): Promise<Outcome> {
  const { redis, customer } = stage;
  let loss: FailoverLoss = { starts: 0, releases: 0 };
  let beyondLimit = () => 0;
  let underLoad: Load | undefined;
  // Only writes that got their responses between these times, in milliseconds since 1970, may be lost.
  let [from, to] = [0, 0];
  const outcome = await runOutage(stage, {
    begin: async (_, load: Load) => {
      underLoad = load;
      beyondLimit = () => viewersBeyondLimit(load.ledger);
      cutOff?.begin();
      const cutAt = Date.now();
      if (cutOff !== undefined) await sleep(cutOff.lasts);
      await redis.killPrimary();
      from = (cutOff === undefined ? Date.now() : cutAt) - lastInstants;
      to = (cutOff === undefined ? Date.now() : cutAt + cutOff.writesFor) + lastInstants;
      const refusedSince = cutOff === undefined ? undefined : from;
      loss = await noteLoss(load.ledger, redis.connectToReplicas(), customer.siteId, refusedSince);
    },
    lasts: 0,
    end: promoted,
    fails: everyCall,
    recoversWithin: 1_000,
    load: options,
  });
  const { starts, releases, first = from, last = to } = loss;
  outcome.notes?.push(
    starts + releases === 0
      ? 'the failover lost nothing'
      : `the failover lost ${starts} starts and ${releases} releases of ${last - first} ms; ${beyondLimit()} viewers may exceed the limit`,
  );
  if (first < from || last > to) {
    const [early, late] = [Math.max(0, from - first), Math.max(0, last - to)];
    outcome.broken.push(`writes were lost whose responses came ${early} ms too early or ${late} ms too late for that`);
  }
  if (underLoad !== undefined) await auditEvents(stage, underLoad, outcome, { from, to });
  return outcome;
}
