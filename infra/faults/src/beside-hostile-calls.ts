import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, outcomeOf } from '@multi-drm/test-kit/load/calls';
import { percentile } from '@multi-drm/test-kit/load/percentile';
import type { Stage } from '@multi-drm/test-kit/stage/stage';
import { HostileCaller } from './hostile-caller';
import type { HostileCalls } from './hostile-process';
import { MachineDelay } from './machine-delay';
import { auditOf, warmUp } from './outage';
import { type Outcome, unexplained } from './outcome';

const rounds = 3;
const bound = 2;

/** The hostile calls that are measured, and those that they are compared with. */
export interface Attacks {
  /** By a hostile tenant of the measured deployment. */
  here: HostileCalls;
  /** The same calls to another deployment on the same machine, or cheaper ones to the same deployment. */
  elsewhere: HostileCalls;
}

interface Comparison {
  /** The other tenant's calls of the control plane; absent: its load on playback is measured. */
  ownCalls?: (() => Promise<Answer>) | undefined;
  /** The percentile that is compared, as a share. Default: 0.99. */
  share?: 0.5 | 0.99 | undefined;
  /** What the hostile calls are compared with. Default: the same calls to another deployment. */
  other?: string;
  /** The prefix of the viewers' names, if a stage is measured several times. It is warm then, and each time is shorter. */
  prefix?: string;
}

/** Which hostile calls ran at the time: none, or those of one of the attacks. */
type Phase = 'alone' | keyof Attacks;

/**
 * Measures, interleaved in one run, how long another tenant's calls take alone, next to hostile calls to another deployment, and
 * next to the same calls to its own. The second shows the cost of the machine, because on two cores any load delays everyone. The
 * guarantee compares the third with the second.
 */
export async function measureBeside(
  stage: Stage,
  attacks: Attacks,
  { ownCalls, share = 0.99, other = 'hostile calls to another deployment', prefix }: Comparison = {},
): Promise<Outcome> {
  const [aloneMilliseconds, besideMilliseconds] = prefix === undefined ? [3_000, 5_000] : [1_000, 2_000];
  if (prefix === undefined) await warmUp(stage);
  const machine = new MachineDelay(stage.playbackUrls);
  const hostile = {
    here: await HostileCaller.start(attacks.here),
    elsewhere: await HostileCaller.start(attacks.elsewhere),
  };
  const load = stage.load({ callsPerSecond: 100, ...(prefix === undefined ? {} : { prefix }) });
  const managed: Answer[] = [];
  let stopped = false;
  load.start();
  const managing = (async () => {
    while (!stopped && ownCalls !== undefined) {
      managed.push(await ownCalls());
      await sleep(20);
    }
  })();
  const spans: { phase: Phase; from: number; to: number }[] = [];
  const statuses: Record<string, number> = {};
  for (let round = 0; round < rounds; round += 1) {
    const begin = Date.now();
    await sleep(aloneMilliseconds);
    spans.push({ phase: 'alone', from: begin, to: Date.now() });
    for (const phase of ['elsewhere', 'here'] as const) {
      const from = Date.now();
      hostile[phase].begin();
      await sleep(besideMilliseconds);
      spans.push({ phase, from, to: Date.now() });
      for (const [status, count] of Object.entries(await hostile[phase].pause())) {
        const name = `${phase} ${status}`;
        statuses[name] = (statuses[name] ?? 0) + count;
      }
      await sleep(500);
    }
  }
  hostile.here.close();
  hostile.elsewhere.close();
  stopped = true;
  await managing;
  await load.stop();
  const { slack, broken } = await machine.stop();

  const answers = (ownCalls === undefined ? load.answers : managed).filter((answer) => outcomeOf(answer) !== 'failed');
  /** The milliseconds of the answers in a phase. */
  const during = (phase: Phase) =>
    answers
      .filter(({ sentAt }) => spans.some((span) => span.phase === phase && sentAt >= span.from && sentAt < span.to))
      .map(({ milliseconds }) => milliseconds);
  const [alone, elsewhere, here] = [during('alone'), during('elsewhere'), during('here')];
  const ratio = percentile(here, share) / percentile(elsewhere, share);
  broken.push(...unexplained([...load.answers, ...managed], machine.excuses(slack)));
  if (!(ratio <= bound)) broken.push(`p${100 * share} is ${ratio.toFixed(1)} × of that beside ${other}`);
  const outcome = await auditOf(stage, load, broken);
  const figures = (of: number[]) => [0.5, 0.99].map((share) => `${percentile(of, share).toFixed(1)} ms`).join(', ');
  return {
    ...outcome,
    requests: outcome.requests + managed.length,
    notes: [
      `p50, p99 alone: ${figures(alone)}; beside ${other}: ${figures(elsewhere)}; beside hostile calls here: ${figures(here)}; ${ratio.toFixed(2)} ×`,
      `hostile calls by status: ${JSON.stringify(statuses)}`,
    ],
  };
}
