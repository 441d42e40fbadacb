import { percentile } from '../../faults/src/percentile';
import type { Contender, Operation } from './contender';
import { cpuMicroseconds } from './cores';
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

/** Measures one round of an operation. Throws if an answer has another status than expected. */
export async function measure(
  contender: Contender,
  operation: Operation,
  generator: LoadGenerator,
  load: Load,
): Promise<Figures> {
  const requests = await contender.prepare(operation, load.count);
  const before = cpuMicroseconds(contender.pid);
  const { seconds, milliseconds, statuses } = await generator.run({ urls: [contender.url], requests, ...load });
  const used = cpuMicroseconds(contender.pid) - before;
  if (statuses[contender.expected[operation]] !== load.count) {
    throw new Error(`${contender.name}, ${operation}: the answers were ${JSON.stringify(statuses)}`);
  }
  return {
    requestsPerSecond: load.count / seconds,
    p50Milliseconds: percentile(milliseconds, 0.5),
    p99Milliseconds: percentile(milliseconds, 0.99),
    cpuMicrosecondsPerRequest: used / load.count,
  };
}

/** The figures, each the median over the rounds. */
export function medians(rounds: Figures[]): Figures {
  const of = (figure: keyof Figures) =>
    percentile(
      rounds.map((round) => round[figure]),
      0.5,
    );
  return {
    requestsPerSecond: of('requestsPerSecond'),
    p50Milliseconds: of('p50Milliseconds'),
    p99Milliseconds: of('p99Milliseconds'),
    cpuMicrosecondsPerRequest: of('cpuMicrosecondsPerRequest'),
  };
}
