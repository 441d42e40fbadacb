import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Parameters } from 'recheck';
import type { Exception } from './exceptions';
import type { FoundExpression } from './found-expressions';

/** What is used of recheck's verdicts. */
type Verdict =
  | { status: 'safe' | 'unknown' }
  | { status: 'vulnerable'; complexity: { summary: string }; attack: { pattern: string } };

/** Returns recheck's finding for an expression; undefined if its time is linear. */
type Judge = (source: string, flags: string) => string | undefined;

/**
 * Limits of recheck. Its other limits of time end an attempt early, and then it guesses, so that verdicts would depend on the load of the
 * machine; the limits of characters remain. An expression that cannot be judged takes the whole `timeout`, in milliseconds.
 */
const limits = { timeout: 120_000, attackTimeout: null, incubationTimeout: null, seedingTimeout: null };

/**
 * Runs recheck and keeps the expressions that it found to be linear in a file, so that the next run checks only the others. A finding is
 * not kept: it may have a passing cause.
 */
export function judgeWith(check: (source: string, flags: string, limits: Parameters) => Verdict, file: string): Judge {
  const linear = new Set(readCache(file));
  return (source, flags) => {
    const literal = `/${source}/${flags}`;
    if (linear.has(literal)) return undefined;
    const result = check(source, flags, limits);
    if (result.status === 'unknown') return 'cannot be judged';
    if (result.status === 'vulnerable') return `${result.complexity.summary}: ${result.attack.pattern}`;
    linear.add(literal);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, JSON.stringify([...linear], null, 2));
    return undefined;
  };
}

function readCache(file: string): string[] {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return []; // the first run, or one that was interrupted while it wrote
  }
}

/** Returns a line for each expression that is not linear and each exception that no longer applies. */
export function findingsOf(found: FoundExpression[], exceptions: Exception[], judge: Judge): string[] {
  const meets =
    ({ file, source, isMade }: FoundExpression) =>
    (exception: Exception) =>
      exception.file === file && (isMade ? source.startsWith(exception.source) : source === exception.source);
  const unused = exceptions
    .filter((exception) => !found.some((one) => meets(one)(exception)))
    .map(({ file, source }) => `${file}: ${source} is an exception but no longer exists`);
  const slow = found
    .filter((one) => !exceptions.some(meets(one)))
    .flatMap(({ file, source, flags, isMade }) => {
      const finding = isMade ? 'is created at run time' : judge(source, flags);
      return finding === undefined ? [] : [`${file}: /${source}/${flags} ${finding}`];
    });
  return [...unused, ...new Set(slow)];
}
