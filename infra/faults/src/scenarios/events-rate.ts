import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { runOnDatabase } from '@multi-drm/test-kit';
import { percentile } from '@multi-drm/test-kit/load/percentile';
import { cpuMicroseconds } from '@multi-drm/test-kit/load/process-figures';
import { ServiceProcess } from '@multi-drm/test-kit/services/service-process';
import type { Stage } from '@multi-drm/test-kit/stage/stage';
import { appendSessions } from '../events/append-sessions';
import { EventLists } from '../events/event-lists';
import { eventsOfBacklog, secondsOfLoad } from '../events/extent';
import { storedSessions } from '../events/stored-sessions';
import { manyCalls, ZappingLoad } from '../events/zapping-load';
import { MachineDelay } from '../machine-delay';
import { type Outcome, unexplained } from '../outcome';
import { onStage } from '../scenario';
import { deliverLoad } from '../webhooks/delivered-load';

/** Each reports two events. */
const createsPerSecond = 750;

/** Of events a second, how many the load must have reported, because a busy machine is late with some. */
const enough = 1_400;

/** How long after the change 99 of 100 events are stored, in milliseconds. */
const storedWithin = 2_000;

/** How many events a second one control plane stores at least. */
const backlogPerSecond = 5_000;

/** The share of a core that a reader takes that has nothing to read. */
const idleShare = 0.03;
const idleMilliseconds = 20_000;

/** The share of a core that a control plane takes while nothing happens. */
async function shareOf({ pid = 0 }: ServiceProcess): Promise<number> {
  const [before, since] = [cpuMicroseconds(pid), performance.now()];
  await sleep(idleMilliseconds);
  return (cpuMicroseconds(pid) - before) / 1_000 / (performance.now() - since);
}

/** What the reader takes while nothing happens: the difference to a control plane that has none. */
async function idleShareOfReader(stage: Stage): Promise<number> {
  const environment = { CONTROL_PLANE_TASKS: 'api,publish,webhooks' };
  const without = await ServiceProcess.controlPlane(stage.databaseUrl, stage.redis.settings, { environment });
  try {
    await without.start();
    await sleep(5_000);
    const [withReader, withoutReader] = await Promise.all([shareOf(stage.controlPlane), shareOf(without)]);
    return withReader - withoutReader;
  } finally {
    await without.kill();
  }
}

/** Stores a backlog with one control plane. Resolves to events a second, from the first that is stored to the last. */
async function storeBacklog(stage: Stage, lists: EventLists): Promise<{ perSecond: number; stored: number }> {
  const prefix = `backlog-${randomUUID()}`;
  await stage.controlPlane.kill();
  const client = stage.redis.connect();
  await appendSessions(client, {
    environmentId: stage.customer.siteId,
    prefix,
    count: eventsOfBacklog / 2,
    startedAt: () => (Date.now() - 60_000) * 1_000 + randomInt(50_000_000),
    lasted: 5_000_000,
  });
  client.disconnect();
  await stage.controlPlane.start();
  await lists.untilRead(120_000);
  const [row] = await runOnDatabase<{ count: string; seconds: string }>(
    stage.databaseUrl,
    `SELECT count(*) AS count, extract(epoch FROM max(stored_at) - min(stored_at)) AS seconds
     FROM event WHERE scope_id = $1 AND subject LIKE $2`,
    [stage.customer.siteId, `${prefix}%`],
  );
  return { stored: Number(row?.count), perSecond: Number(row?.count) / Number(row?.seconds) };
}

async function measureRate(stage: Stage): Promise<Outcome> {
  const lists = new EventLists(stage.redis);
  const idle = await idleShareOfReader(stage);
  const load = new ZappingLoad(stage);
  await load.begin();
  // Compiles what the load needs.
  load.start(createsPerSecond / 4);
  await sleep(5_000);
  await load.stop();
  const machine = new MachineDelay(stage.playbackUrls);
  const from = Date.now();
  load.start(createsPerSecond);
  await sleep(secondsOfLoad * 1_000);
  await load.stop();
  const seconds = (Date.now() - from) / 1_000;
  const { slack, broken } = await machine.stop();
  broken.push(...unexplained(load.failures, machine.excuses(slack)));
  await lists.untilRead();
  const sessions = await storedSessions(stage.databaseUrl, stage.customer.siteId);
  const facts = sessions.flatMap(({ starts, ends }) => [...starts, ...ends]).filter(({ at }) => at >= from);
  const delays = facts.map(({ at, storedAt }) => storedAt - at);
  const late = percentile(delays, 0.99);
  const perSecond = facts.length / seconds;
  if (perSecond < enough) broken.push(`only ${Math.round(perSecond)} events a second were reported`);
  if (!(late <= storedWithin)) broken.push(`99 % of the events were stored within ${Math.round(late)} ms`);
  const backlog = await storeBacklog(stage, lists);
  lists.close();
  if (backlog.stored !== eventsOfBacklog) broken.push(`${backlog.stored} of ${eventsOfBacklog} events were stored`);
  if (!(backlog.perSecond >= backlogPerSecond)) broken.push('the backlog was stored too slowly');
  if (!(idle <= idleShare)) broken.push('an idle reader takes too much of a core');
  // Last, because an endpoint gets the backlog, too.
  const delivered = await deliverLoad(stage, load);
  broken.push(...delivered.broken);
  return {
    requests: load.sent,
    failed: load.failures.length,
    broken,
    notes: [
      `${Math.round(perSecond)} events a second, stored within ${Math.round(percentile(delays, 0.5))} ms (50 %) and ${Math.round(late)} ms (99 %)`,
      `a backlog of ${backlog.stored} events at ${Math.round(backlog.perSecond)} a second`,
      delivered.note,
      `an idle reader took ${(100 * idle).toFixed(1)} % of a core; the machine's own delay up to ${Math.round(slack)} ms`,
    ],
  };
}

/**
 * Appends events as fast as a large deployment for a minute, has one control plane store what it has not seen, and then has the events of
 * another minute delivered.
 */
export const eventsRate = onStage(
  { playbacks: 2, withoutLink: true, planId: 'enterprise', playback: () => ({ environment: manyCalls }) },
  measureRate,
);
