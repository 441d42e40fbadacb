import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from '@multi-drm/test-kit/load/calls';
import { ServiceProcess } from '@multi-drm/test-kit/services/service-process';
import type { Stage } from '@multi-drm/test-kit/stage/stage';
import { EventLists } from '../events/event-lists';
import { compareSessions, type ExpectedSession } from '../events/expected-sessions';
import { compareUsage, isRecomputed, storedUsage } from '../events/expected-usage';
import { sessionsOfScenario } from '../events/extent';
import { notStored, reasonsOf, storedSessions } from '../events/stored-sessions';
import { isViewer, type Lives, lifetimeSeconds, ViewerLife } from '../events/viewer-life';
import { MachineDelay } from '../machine-delay';
import { isOutageAnswer, type Outcome, unexplained, type Window } from '../outcome';
import { onStage } from '../scenario';

/** How often each control plane is killed. */
const killsOfEach = 5;

/** How many viewers make calls at the same time. */
const viewersAtOnce = 16;

/** How long expired sessions may go without being swept, and their ends unread, in milliseconds. */
const settlingMilliseconds = 60_000;

/** Kills one control plane after the other, and Redis in the middle, spread over the starts. Resolves to when Redis was away. */
async function killAll(stage: Stage, other: ServiceProcess, lives: Lives): Promise<Window> {
  const kills = 2 * killsOfEach;
  const until = async (share: number) => {
    while (lives.expected.size < sessionsOfScenario * share) await sleep(10);
  };
  let window: Window = { from: 0, to: 0, allows: () => false };
  for (let kill = 0; kill < kills; kill += 1) {
    await until((kill + 1) / (kills + 2));
    const controlPlane = kill % 2 === 0 ? stage.controlPlane : other;
    await controlPlane.kill();
    await controlPlane.start();
    if (kill === killsOfEach) window = await killRedis(stage);
  }
  return window;
}

async function killRedis({ redis }: Stage): Promise<Window> {
  const from = Date.now();
  redis.process.kill('SIGKILL');
  while (redis.process.signalCode === null) await sleep(5);
  await redis.start();
  return { from, to: Date.now() + 1_000, allows: () => true };
}

/** Starts, renews and ends sessions at random while what stores their events is killed again and again. */
async function runLives(stage: Stage): Promise<Outcome> {
  const { customer, databaseUrl } = stage;
  const other = await ServiceProcess.controlPlane(databaseUrl, stage.redis.settings);
  const lists = new EventLists(stage.redis);
  try {
    await other.start();
    const backend = await customer.createApiClient(['license-tokens:create', 'sessions:release']);
    const lives: Lives = {
      customer: customer.with({ apiClient: backend }),
      backend,
      keyId: stage.keyId,
      urls: stage.playbackUrls,
      expected: new Map<string, ExpectedSession>(),
      failures: [] as Answer[],
      calls: 0,
    };
    const machine = new MachineDelay(stage.playbackUrls);
    let areKilled = false;
    const killing = killAll(stage, other, lives).finally(() => {
      areKilled = true;
    });
    const since = Date.now();
    const viewers = Array.from({ length: viewersAtOnce }, async () => {
      while (lives.expected.size < sessionsOfScenario || !areKilled) await new ViewerLife(lives).run();
    });
    const [window] = await Promise.all([killing, ...viewers]);
    const seconds = (Date.now() - since) / 1_000;
    const { slack, broken } = await machine.stop();
    const allows = (answer: Answer) => isOutageAnswer(answer, slack) || answer.status === 0;
    broken.push(
      ...unexplained(lives.failures, [{ ...window, to: window.to + slack, allows }, ...machine.excuses(slack)]),
    );
    // Until the last sessions have expired.
    await sleep(lifetimeSeconds * 1_000);
    const stored = await untilEnded(stage, lists);
    broken.push(...compareSessions(lives.expected, stored));
    broken.push(...(await compareMinutes(stage)));
    const { setAside, dropped } = await notStored(databaseUrl);
    if (setAside > 0) broken.push(`${setAside} entries were set aside`);
    if (dropped > 0) broken.push(`${dropped} entries were dropped`);
    return {
      requests: lives.calls,
      failed: lives.failures.length,
      broken,
      notes: [
        `${stored.length} sessions in ${Math.round(seconds)} s; the machine's own delay up to ${Math.round(slack)} ms`,
        reasonsOf(stored),
      ],
    };
  } finally {
    lists.close();
    await other.kill();
  }
}

/** Resolves to what is stored once each session has ended, or when that takes too long. */
async function untilEnded({ databaseUrl, customer }: Stage, lists: EventLists) {
  for (const deadline = Date.now() + settlingMilliseconds; ; await sleep(1_000)) {
    await lists.untilRead(settlingMilliseconds);
    const stored = (await storedSessions(databaseUrl, customer.siteId)).filter(({ subject }) => isViewer(subject));
    if (stored.every(({ ends }) => ends.length > 0) || Date.now() > deadline) return stored;
  }
}

/**
 * Compares the usage of each minute with a count of the sessions, which are those of the callers: their times, which only Redis knows to the
 * microsecond, were found to lie within the calls.
 */
async function compareMinutes({ databaseUrl, customer }: Stage): Promise<string[]> {
  const deadline = Date.now() + settlingMilliseconds;
  while (!(await isRecomputed(databaseUrl)) && Date.now() < deadline) await sleep(1_000);
  // Those that measure the delay of the machine, too.
  const sessions = await storedSessions(databaseUrl, customer.siteId);
  return compareUsage(sessions, await storedUsage(databaseUrl, customer.siteId));
}

export const eventsExact = onStage(
  {
    playbacks: 2,
    withoutLink: true,
    planId: 'enterprise',
    settings: { sessionLifetimeSeconds: lifetimeSeconds },
    playback: () => ({ environment: { ORGANIZATION_REQUESTS_AT_ONCE: String(viewersAtOnce) } }),
  },
  runLives,
);
