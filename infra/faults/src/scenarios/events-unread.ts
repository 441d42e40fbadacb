import { setTimeout as sleep } from 'node:timers/promises';
import type { Stage } from '@multi-drm/test-kit/stage/stage';
import { lookUpOpenSessions, releaseAll } from '../events/end-sessions';
import { EventLists } from '../events/event-lists';
import { compareSessions, type ExpectedSession } from '../events/expected-sessions';
import { secondsOfLoad } from '../events/extent';
import { notStored, reasonsOf, storedSessions } from '../events/stored-sessions';
import { manyCalls, ZappingLoad } from '../events/zapping-load';
import { MachineDelay } from '../machine-delay';
import { type Outcome, unexplained } from '../outcome';
import type { Scenario } from '../scenario';
import { withOwnPostgres } from './databases';

/** Each appends two events, so that a minute of them takes twice the small bound. */
const createsPerSecond = 500;

/** The shortest that there are, so that the last ones soon expire. */
const lifetimeSeconds = 60;

const mebibyte = 2 ** 20;

/** The bound of the scenario in which events are dropped, and what the lists may take, in mebibytes. */
const smallBound = 8;
const maximumTaken = 12;

/** What was found while nobody read. */
interface Unread {
  /** How many bytes the lists took at most. */
  maximumBytes: number;
  /** By the creates that succeeded. A failed one may have appended its start and its end, too. */
  appended: number;
  failed: number;
  kept: number;
  dropped: number;
}

/** Runs the load for a minute, and counts the events that nobody reads. Afterwards it goes on. */
async function countUnread(load: ZappingLoad, lists: EventLists): Promise<Unread> {
  const before = { sent: load.sent, failed: load.failures.length };
  load.start(createsPerSecond);
  let maximumBytes = 0;
  for (const until = Date.now() + secondsOfLoad * 1_000; Date.now() < until; await sleep(1_000)) {
    maximumBytes = Math.max(maximumBytes, await lists.bytes());
  }
  await load.stop();
  const failed = load.failures.length - before.failed;
  const appended = 2 * (load.sent - before.sent - failed);
  const found = { maximumBytes, appended, failed, kept: await lists.count(), dropped: await lists.dropped() };
  load.start(createsPerSecond);
  return found;
}

/** Stops the control plane and PostgreSQL for a minute under load. `isBounded`: the events exceed their bound. */
function unread(isBounded: boolean): Scenario {
  const environment = { ...manyCalls, ...(isBounded ? { EVENT_BUFFER_MEBIBYTES: String(smallBound) } : {}) };
  return withOwnPostgres(
    async (stage, postgres) => {
      const lists = new EventLists(stage.redis);
      const load = new ZappingLoad(stage);
      // The stage's own sessions would expire meanwhile, and append that.
      await releaseAll(stage);
      await load.begin();
      await lists.untilRead();
      const machine = new MachineDelay(stage.playbackUrls);
      let found: Unread = { maximumBytes: 0, appended: 0, failed: 0, kept: 0, dropped: 0 };
      await stage.controlPlane.kill();
      await postgres.restart(async () => {
        found = await countUnread(load, lists);
      });
      await stage.controlPlane.start();
      await sleep(5_000);
      await load.stop();
      const { slack, broken } = await machine.stop();
      broken.push(...unexplained(load.failures, machine.excuses(slack)));
      const { maximumBytes, appended, kept, dropped } = found;
      if (kept + dropped !== appended)
        broken.push(`of ${appended} events, ${kept} were kept and ${dropped} counted as dropped`);
      if (isBounded && maximumBytes > maximumTaken * mebibyte) broken.push('the lists have exceeded their bound');
      if (isBounded !== dropped > 0) broken.push(`${dropped} events were dropped`);
      await lists.untilRead().finally(() => lists.close());
      broken.push(...(await auditStored(stage, load, dropped)));
      return {
        requests: load.sent,
        failed: load.failures.length,
        broken,
        notes: [
          `${appended} events unread, of which ${dropped} were dropped; the lists took ${(maximumBytes / mebibyte).toFixed(1)} MiB at most`,
          `the machine's own delay up to ${Math.round(slack)} ms`,
        ],
      } satisfies Outcome;
    },
    {
      playbacks: 2,
      withoutLink: true,
      planId: 'enterprise',
      settings: { sessionLifetimeSeconds: lifetimeSeconds },
      playback: () => ({ environment }),
    },
  );
}

/** Waits until the last sessions have ended, and compares what is stored with the answers. */
async function auditStored({ databaseUrl, customer }: Stage, load: ZappingLoad, dropped: number): Promise<string[]> {
  await sleep((lifetimeSeconds + 5) * 1_000);
  const broken: string[] = [];
  const open = await lookUpOpenSessions(databaseUrl, customer.siteId);
  if (open > 0) broken.push(`${open} sessions are still open`);
  const stored = (await storedSessions(databaseUrl, customer.siteId)).filter(({ subject }) => load.isViewer(subject));
  const expected = dropped > 0 ? withLosses(load.expected) : load.expected;
  broken.push(...compareSessions(expected, stored));
  const gaps = await notStored(databaseUrl);
  if (gaps.setAside > 0) broken.push(`${gaps.setAside} entries were set aside`);
  // While the first of them are read, more may be dropped.
  if (gaps.dropped < dropped || (dropped === 0 && gaps.dropped > 0)) {
    broken.push(`the gaps say that ${gaps.dropped} events were dropped, and not ${dropped}`);
  }
  console.log(`    ${stored.length} of ${load.expected.size} sessions are stored: ${reasonsOf(stored)}`);
  return broken;
}

/** What is still known of sessions if events were dropped: not all of them, not when they ended, and not how many licenses they had. */
function withLosses(expected: ReadonlyMap<string, ExpectedSession>): Map<string, ExpectedSession> {
  const always = { from: 0, to: Number.POSITIVE_INFINITY };
  return new Map(
    [...expected].map(([name, session]) => [
      name,
      {
        ...session,
        isStarted: false,
        licenseRequests: undefined,
        ends: session.ends.map(({ reason }) => ({ reason, ...always })),
      },
    ]),
  );
}

/** Nobody reads events for a minute: all of them are kept, or within a bound as many as it allows. */
export const unreadScenarios: Record<string, Scenario> = {
  'events-unread': unread(false),
  'events-unread-8-mebibytes': unread(true),
};
