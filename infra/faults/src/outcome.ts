import { type Answer, outcomeOf } from '@multi-drm/test-kit/load/calls';

/** The result of a scenario. */
export interface Outcome {
  requests: number;
  /** Neither successes nor refusals by a rule; each is explained or listed in `broken`. */
  failed: number;
  /** Absent, like `lostSlots`, if the scenario does not count slots. */
  overAdmitted?: number;
  lostSlots?: number;
  /** From the end of the fault to the first success; undefined if there was nothing to recover from. */
  recoveryMilliseconds?: number | undefined;
  /** Violated guarantees, one sentence each; empty if all held. */
  broken: string[];
  /** Measured figures. */
  notes?: string[];
}

/** Several outcomes as one, with the longest recovery. */
export function totalOf(outcomes: readonly Outcome[]): Outcome {
  const sumOf = (name: 'requests' | 'failed' | 'overAdmitted' | 'lostSlots') =>
    outcomes.reduce((sum, { [name]: count = 0 }) => sum + count, 0);
  const recoveries = outcomes.flatMap(({ recoveryMilliseconds = [] }) => recoveryMilliseconds);
  return {
    requests: sumOf('requests'),
    failed: sumOf('failed'),
    overAdmitted: sumOf('overAdmitted'),
    lostSlots: sumOf('lostSlots'),
    recoveryMilliseconds: recoveries.length === 0 ? undefined : Math.max(...recoveries),
    broken: outcomes.flatMap(({ broken }) => broken),
    notes: outcomes.flatMap(({ notes = [] }) => notes),
  };
}

/** When and how calls may fail. */
export interface Window {
  /** Milliseconds since 1970. */
  from: number;
  to: number;
  allows(answer: Answer): boolean;
}

/** Describes failures that no window explains, by kind. */
export function unexplained(answers: readonly Answer[], windows: readonly Window[]): string[] {
  const kinds = new Map<string, number>();
  for (const answer of answers) {
    if (outcomeOf(answer) !== 'failed') continue;
    const { sentAt, milliseconds, operation, status, code } = answer;
    const end = sentAt + milliseconds;
    if (windows.some((window) => sentAt <= window.to && end >= window.from && window.allows(answer))) continue;
    const since = !windows[0]?.from ? '' : `, ${Math.round(sentAt - windows[0].from)} ms after the fault began`;
    const kind = `${operation} answered ${status} ${code}`;
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    if (kinds.get(kind) === 1) kinds.set(`first: ${kind} in ${Math.round(milliseconds)} ms${since}`, 1);
  }
  return [...kinds].map(([kind, count]) => `unexplained: ${count} × ${kind}`);
}

/** Milliseconds that a response may take in an outage. */
export const answerBound = 1_000;

/** Whether a response is the expected one for an outage of Redis: a retryable 503 within a second. */
export function isOutageAnswer({ status, code, milliseconds }: Answer, slack = 0): boolean {
  return status === 503 && code === 'service_unavailable' && milliseconds <= answerBound + slack;
}

export const countFailed = (answers: readonly Answer[]): number =>
  answers.filter((answer) => outcomeOf(answer) === 'failed').length;
