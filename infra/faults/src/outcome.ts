import { type Answer, outcomeOf } from './calls';

/** What a scenario found. */
export interface Outcome {
  requests: number;
  /** Neither a success nor a refusal by rule; each is explained, or in `broken`. */
  failed: number;
  overAdmitted: number;
  lostSlots: number;
  /** From the end of the fault to the first success; undefined where nothing was to recover. */
  recoveryMilliseconds?: number | undefined;
  /** Promises that did not hold, a sentence each; none: all held. */
  broken: string[];
  /** Figures that the promise is measured by. */
  notes?: string[];
}

/** When calls may fail, and how. */
export interface Window {
  /** Milliseconds since 1970. */
  from: number;
  to: number;
  allows(answer: Answer): boolean;
}

/** Failures that no window explains, told by kind. */
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

/** How long an answer may take in an outage. */
export const answerBound = 1_000;

/** What an outage of Redis looks like from outside: 503, retryable, within a second. */
export function isOutageAnswer({ status, code, milliseconds }: Answer, slack = 0): boolean {
  return status === 503 && code === 'service_unavailable' && milliseconds <= answerBound + slack;
}

export const countFailed = (answers: readonly Answer[]): number =>
  answers.filter((answer) => outcomeOf(answer) === 'failed').length;
