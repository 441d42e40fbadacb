import { setTimeout as sleep } from 'node:timers/promises';
import { type FailoverLoss, noteLoss, textOfLoss } from '../failover-loss';
import type { Load } from '../load';
import { everyCall, runOutage } from '../outage';
import type { Outcome } from '../outcome';
import type { Scenario } from '../scenario';
import { SentinelRedis } from '../sentinel-redis';
import { heldSlots } from '../slot-audit';
import { Stage } from '../stage';

/** Milliseconds within which calls that were pending at the kill get their responses, and replicas apply what they have received. */
const settling = 250;

/** Milliseconds before the kill in which a write may be lost although replicas are connected: the last instants. */
const lastInstants = 500;

/** Kills the primary under load, and waits until a Sentinel has promoted a replica. */
async function killPrimary(stage: Stage<SentinelRedis>): Promise<Outcome> {
  const { redis, customer } = stage;
  let loss: FailoverLoss | undefined;
  let writableBeforeNamed = 0;
  const outcome = await runOutage(stage, {
    begin: async (_, load: Load) => {
      redis.killPrimary();
      const killedAt = Date.now();
      await sleep(settling);
      const held = redis.connectToReplicas().map((replica) => heldSlots(replica, customer.siteId));
      loss = noteLoss(load.ledger, await Promise.all(held), killedAt);
    },
    lasts: 0,
    end: async () => {
      await redis.promoted();
      const since = Date.now();
      await redis.named();
      writableBeforeNamed = Date.now() - since;
    },
    fails: everyCall,
    recoversWithin: 1_000,
    load: { callsPerSecond: 50, viewers: 40 },
  });
  outcome.notes?.push(`the promoted server accepted writes ${writableBeforeNamed} ms before the Sentinel named it`);
  if (loss === undefined) return outcome;
  outcome.notes?.push(textOfLoss(loss));
  if (loss.oldest > lastInstants) outcome.broken.push(`a write was lost ${loss.oldest} ms after its response`);
  return outcome;
}

const failover =
  (...directives: string[]): Scenario =>
  async () => {
    const stage = await Stage.startOn(await SentinelRedis.start(directives), { playbacks: 2 });
    try {
      return await killPrimary(stage);
    } finally {
      await stage.close();
    }
  };

export const sentinelFailovers: Record<string, Scenario> = {
  'sentinel-failover': failover(),
  'sentinel-failover-max-lag-1': failover('min-replicas-to-write 1', 'min-replicas-max-lag 1'),
  'sentinel-failover-max-lag-2': failover('min-replicas-to-write 1', 'min-replicas-max-lag 2'),
};
