import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, outcomeOf } from './calls';
import { type HostileCalls, HostileProcess } from './hostile-process';
import { MachineDelay } from './machine-delay';
import { auditOf, warmUp } from './outage';
import { type Outcome, unexplained } from './outcome';
import type { Stage } from './stage';

const rounds = 3;
const roundMilliseconds = 5_000;
const bound = 2;

/**
 * Measures, in turns in one run, how long another tenant's calls take alone and beside the hostile one. `ownCalls`: of the
 * other tenant at the control plane; playback's are those of its load.
 */
export async function measureBeside(
  stage: Stage,
  hostileCalls: HostileCalls,
  ownCalls?: () => Promise<Answer>,
): Promise<Outcome> {
  await warmUp(stage);
  const machine = new MachineDelay(stage.playbackUrls);
  const hostile = await HostileProcess.start(hostileCalls);
  const load = stage.load({ callsPerSecond: 100 });
  const managed: Answer[] = [];
  let stopped = false;
  load.start();
  const managing = (async () => {
    while (!stopped && ownCalls !== undefined) {
      managed.push(await ownCalls());
      await sleep(20);
    }
  })();
  const beside: [number, number][] = [];
  const statuses: Record<string, number> = {};
  for (let round = 0; round < rounds; round += 1) {
    await sleep(roundMilliseconds);
    const from = Date.now();
    hostile.begin();
    await sleep(roundMilliseconds);
    for (const [status, count] of Object.entries(await hostile.pause())) {
      statuses[status] = (statuses[status] ?? 0) + count;
    }
    beside.push([from, Date.now()]);
    await sleep(500);
  }
  hostile.close();
  stopped = true;
  await managing;
  await load.stop();
  const { slack, broken } = await machine.stop();

  const answers = ownCalls === undefined ? load.answers : managed;
  const isBeside = ({ sentAt }: Answer) => beside.some(([from, to]) => sentAt >= from && sentAt <= to);
  const measured = answers.filter((answer) => outcomeOf(answer) !== 'failed');
  const alone = percentile(measured.filter((answer) => !isBeside(answer)));
  const beneath = percentile(measured.filter(isBeside));
  broken.push(...unexplained([...load.answers, ...managed], machine.excuses(slack)));
  if (!(beneath <= bound * alone)) broken.push(`p99 is ${(beneath / alone).toFixed(1)} × of that alone`);
  const outcome = await auditOf(stage, load, broken);
  return {
    ...outcome,
    requests: outcome.requests + managed.length,
    notes: [
      `p99 alone ${alone.toFixed(1)} ms, beside ${beneath.toFixed(1)} ms: ${(beneath / alone).toFixed(2)} ×`,
      `hostile calls by status: ${JSON.stringify(statuses)}`,
    ],
  };
}

function percentile(answers: Answer[]): number {
  const times = answers.map(({ milliseconds }) => milliseconds).sort((a, b) => a - b);
  return times[Math.floor(times.length * 0.99)] ?? Number.NaN;
}
