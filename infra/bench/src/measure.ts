import { percentile } from '@multi-drm/test-kit/load/percentile';
import { cpuMicroseconds } from '@multi-drm/test-kit/load/process-figures';
import type { Contender, Operation } from './contender';
import type { LoadGenerator } from './load';

/** The figures of one round. */
export interface Figures {
  requestsPerSecond: number;
  p50Milliseconds: number;
  p99Milliseconds: number;
  cpuMicrosecondsPerRequest: number;
}

export interface Load {
  connections: number;
  count: number;
  perSecond?: number;
}

/** Throws unless all answers have this status, except for a few 503s: machines have other work. `what`: who was asked for what. */
export function requireStatus(
  statuses: Record<string, number>,
  expected: number,
  count: number,
  what: string,
  refusedAtMost = 0.01,
): void {
  const { [expected]: succeeded = 0, 503: refused = 0 } = statuses;
  if (succeeded + refused < count || refused > count * refusedAtMost) {
    throw new Error(`${what}: the answers were ${JSON.stringify(statuses)}`);
  }
}

/** Sends as many requests, and a few before, until the server's code is compiled. Meanwhile, it may refuse any of them with 503. */
export async function warmUp(
  contender: Contender,
  operation: Operation,
  generator: LoadGenerator,
  { connections, count }: Load,
): Promise<void> {
  for (const load of [
    { connections: 1, count: Math.min(count, 200) },
    { connections, count },
  ]) {
    const requests = await contender.prepare(operation, load.count, generator);
    const { statuses } = await generator.run({ urls: [contender.url], requests, ...load });
    const what = `${contender.name}, first ${operation}`;
    requireStatus(statuses, contender.expected[operation], load.count, what, 1);
  }
}

/** Measures one round of an operation. Throws if an answer has another status than expected. */
export async function measure(
  contender: Contender,
  operation: Operation,
  generator: LoadGenerator,
  load: Load,
): Promise<Figures> {
  const requests = await contender.prepare(operation, load.count, generator);
  const before = cpuMicroseconds(contender.pid);
  const { seconds, milliseconds, statuses } = await generator.run({ urls: [contender.url], requests, ...load });
  const used = cpuMicroseconds(contender.pid) - before;
  requireStatus(statuses, contender.expected[operation], load.count, `${contender.name}, ${operation}`);
  return {
    requestsPerSecond: load.count / seconds,
    p50Milliseconds: percentile(milliseconds, 0.5),
    p99Milliseconds: percentile(milliseconds, 0.99),
    cpuMicrosecondsPerRequest: used / load.count,
  };
}

/** The figures of at least one round, each the median over the rounds. */
export function medians<Named extends Record<keyof Named, number>>(rounds: readonly Named[]): Named {
  const names = Object.keys(rounds[0] ?? {}) as (keyof Named)[];
  const medianOf = (name: keyof Named) =>
    percentile(
      rounds.map((round) => round[name]),
      0.5,
    );
  return Object.fromEntries(names.map((name) => [name, medianOf(name)])) as Named;
}
