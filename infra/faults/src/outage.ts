import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceProcess } from '../../e2e/service-process';
import { audit } from './audit';
import { type Answer, type Operation, outcomeOf } from './calls';
import type { Load } from './load';
import { MachineDelay } from './machine-delay';
import { countFailed, isOutageAnswer, type Outcome, unexplained } from './outcome';
import type { Stage } from './stage';

/** A fault that begins and ends while the load goes on. */
export interface Outage {
  begin(stage: Stage, load: Load): unknown;
  /** Where they return promises these are waited for. */
  end(stage: Stage, load: Load): unknown;
  /** Milliseconds. */
  lasts?: number;
  /** Calls that may fail meanwhile. */
  fails: readonly Operation[];
  /** Failures beside the 503 of an outage. */
  allows?: (answer: Answer) => boolean;
  /** Milliseconds from the end of the fault to the first success; undefined: none may fail at all. */
  recoversWithin?: number;
  /** Processes that the fault itself ends. */
  restarts?: readonly ServiceProcess[];
}

export const everyCall: readonly Operation[] = ['create', 'release', 'renew', 'license'];

const before = 1_000;
const after = 2_500;

/** Runs the load through an outage and holds every answer against the promise. */
export async function runOutage(stage: Stage, outage: Outage): Promise<Outcome> {
  const { lasts = 2_000, fails, recoversWithin = 0, allows = () => false } = outage;
  await warmUp(stage);
  const pids = stage.services.map(({ pid }) => pid);
  const load = stage.load({ prefix: randomUUID() });
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
  // A success from memory is no recovery while others fail.
  const failures = load.answers.filter(
    (answer) => outcomeOf(answer) === 'failed' && answer.sentAt <= ended + recoversWithin && !allows(answer),
  );
  const lastFailed = Math.max(0, ...failures.map(({ sentAt }) => sentAt - ended));
  const recoveryMilliseconds =
    recovery === undefined ? undefined : Math.round(Math.max(lastFailed, recovery - (ended - ending)));
  if (recoversWithin > 0 && (recoveryMilliseconds ?? Number.POSITIVE_INFINITY) > recoversWithin + slack) {
    broken.push(`back after ${recoveryMilliseconds ?? 'more than 15,000'} ms, not within ${recoversWithin} ms`);
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

/** Calls until processes that have just started answer as ones that run. Nothing of it is counted. */
export async function warmUp(stage: Stage): Promise<void> {
  const load = stage.load({ prefix: 'warm' });
  load.start();
  for (const deadline = Date.now() + 20_000; Date.now() < deadline; await sleep(100)) {
    const latest = load.answers.slice(-25);
    if (latest.length === 25 && latest.every(({ status, milliseconds }) => status !== 503 && milliseconds < 250)) break;
  }
  await load.stop();
}

/** The part of an outcome that comes from the load and from Redis. */
export async function auditOf(stage: Stage, load: Load, broken: string[]): Promise<Outcome> {
  await load.askAgain();
  const { redis, customer } = stage;
  const look = () => audit(redis.url, customer.siteId, load.ledger, load.prefix);
  let found = await look();
  // What nobody knows of is taken back once Redis is in reach: at once, on a machine that is not busy.
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
    broken.push(`${lostSlots.length} slots are held for nobody: ${lostSlots.slice(0, 3).join(', ')}`);
  if (load.answers.length !== load.sent) broken.push(`${load.sent - load.answers.length} calls are not accounted for`);
  if (vanished.length > 0) broken.push(`${vanished.length} sessions go on without a slot`);
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
