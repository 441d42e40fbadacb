import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, type Operation, outcomeOf } from '@multi-drm/test-kit/load/calls';
import type { Load, LoadOptions } from '@multi-drm/test-kit/load/load';
import type { ServiceProcess } from '@multi-drm/test-kit/services/service-process';
import type { Stage } from '@multi-drm/test-kit/stage/stage';
import type { LinkedRedis, StageRedis } from '@multi-drm/test-kit/stage/stage-redis';
import { MachineDelay } from './machine-delay';
import { countFailed, isOutageAnswer, type Outcome, unexplained } from './outcome';
import { audit } from './slot-audit';

/** A fault that begins and ends under load. */
export interface Outage<Servers extends StageRedis = LinkedRedis> {
  begin(stage: Stage<Servers>, load: Load): unknown;
  /** Promises returned by `begin` and `end` are awaited. */
  end(stage: Stage<Servers>, load: Load): unknown;
  /** Milliseconds. */
  lasts?: number;
  /** Calls that may fail during the fault. */
  fails: readonly Operation[];
  /** Allowed failures in addition to the 503 of an outage. */
  allows?: (answer: Answer) => boolean;
  /** Maximum milliseconds from the end of the fault to the first success; undefined: no call may fail at all. */
  recoversWithin?: number;
  /** Processes that the fault itself ends. */
  restarts?: readonly ServiceProcess[];
  /** Differences from the usual load. */
  load?: Partial<LoadOptions>;
}

export const everyCall: readonly Operation[] = ['create', 'release', 'renew', 'license'];

const before = 1_000;
const after = 2_500;

/** Runs the load through an outage and checks every response against the guarantees. */
export async function runOutage<Servers extends StageRedis>(
  stage: Stage<Servers>,
  outage: Outage<Servers>,
): Promise<Outcome> {
  const { lasts = 2_000, fails, recoversWithin = 0, allows = () => false } = outage;
  await warmUp(stage);
  const pids = stage.services.map(({ pid }) => pid);
  const load = stage.load({ prefix: randomUUID(), ...outage.load });
  const machine = new MachineDelay(stage.playbackUrls);
  load.start();
  await sleep(before);
  const began = Date.now();
  await outage.begin(stage, load);
  await sleep(lasts);
  const ending = Date.now();
  await outage.end(stage, load);
  const ended = Date.now();
  await waitForRecovery(load, ending, recoversWithin);
  await sleep(after);
  await load.stop();
  const { slack, broken } = await machine.stop();

  const allowed = (answer: Answer) =>
    (fails.includes(answer.operation) && isOutageAnswer(answer, slack)) || allows(answer);
  const windows = [{ from: began, to: ended + recoversWithin + slack, allows: allowed }];
  broken.push(...unexplained(load.answers, [...windows, ...machine.excuses(slack)]));
  const recovery = load.recoveredAfter(ending);
  // A success from cached data does not count as recovery while other calls fail.
  const failures = load.answers.filter(
    (answer) => outcomeOf(answer) === 'failed' && answer.sentAt <= ended + recoversWithin && !allows(answer),
  );
  const lastFailed = Math.max(0, ...failures.map(({ sentAt }) => sentAt - ended));
  const recoveryMilliseconds =
    recovery === undefined ? undefined : Math.round(Math.max(lastFailed, recovery - (ended - ending)));
  if (recoversWithin > 0 && (recoveryMilliseconds ?? Number.POSITIVE_INFINITY) > recoversWithin + slack) {
    broken.push(`recovered after ${recoveryMilliseconds ?? 'more than 15,000'} ms, not within ${recoversWithin} ms`);
  }
  const restarted = stage.services.filter(
    (service, index) =>
      !outage.restarts?.includes(service) && (service.pid === undefined || service.pid !== pids[index]),
  );
  if (restarted.length > 0) broken.push(`${restarted.length} processes have ended`);
  const times = load.answers.filter(({ status }) => status === 503).map(({ milliseconds }) => milliseconds);
  return {
    ...(await auditOf(stage, load, broken)),
    recoveryMilliseconds: recoversWithin > 0 ? recoveryMilliseconds : undefined,
    notes: [
      `slowest 503 ${Math.round(Math.max(0, ...times))} ms; the machine's own delay up to ${Math.round(slack)} ms`,
    ],
  };
}

/** Sends calls until processes that have just started respond at normal speed. These calls are not counted. */
export async function warmUp(stage: Stage<StageRedis>): Promise<void> {
  const load = stage.load({ prefix: 'warm' });
  load.start();
  for (const deadline = Date.now() + 20_000; Date.now() < deadline; await sleep(100)) {
    const latest = load.answers.slice(-25);
    if (latest.length === 25 && latest.every(({ status, milliseconds }) => status !== 503 && milliseconds < 250)) break;
  }
  await load.stop();
}

/** The part of an outcome that comes from the load and from Redis. */
export async function auditOf(stage: Stage<StageRedis>, load: Load, broken: string[]): Promise<Outcome> {
  await load.askAgain();
  const { redis, customer } = stage;
  const look = () => audit(redis, customer.siteId, load.ledger, load.prefix);
  let found = await look();
  // Reservations without a response are undone once Redis is reachable, which on an idle machine happens at once.
  for (
    const deadline = Date.now() + 10_000;
    found.lostSlots.length > 0 && Date.now() < deadline;
    found = await look()
  ) {
    await sleep(250);
  }
  const { overAdmitted, lostSlots, vanished } = found;
  if (overAdmitted > 0) broken.push(`${overAdmitted} viewers had more sessions than the limit`);
  if (lostSlots.length > 0)
    broken.push(`${lostSlots.length} slots are held without a known session: ${lostSlots.slice(0, 3).join(', ')}`);
  if (load.answers.length !== load.sent) broken.push(`${load.sent - load.answers.length} calls are not accounted for`);
  if (vanished.length > 0) broken.push(`${vanished.length} active sessions have no slot`);
  return {
    requests: load.sent,
    failed: countFailed(load.answers),
    overAdmitted,
    lostSlots: lostSlots.length,
    broken,
  };
}

async function waitForRecovery(load: Load, since: number, within: number): Promise<void> {
  const deadline = Date.now() + within + 15_000;
  while (load.recoveredAfter(since) === undefined && Date.now() < deadline) await sleep(50);
}
