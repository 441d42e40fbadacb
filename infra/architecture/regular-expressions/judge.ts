import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { Parameters } from 'recheck';
import type { Exception } from './exceptions';
import type { FoundExpression } from './found-expressions';

/** What is used of recheck's verdicts. */
type Verdict =
  | { status: 'safe' | 'unknown' }
  | { status: 'vulnerable'; complexity: { summary: string }; attack: { pattern: string } };

/** What the file holds: the version of recheck, and the literals that it found to be linear. */
interface Kept {
  recheck: string;
  linear: string[];
}

/** Returns recheck's finding for an expression; undefined if its time is linear. */
type Judge = (source: string, flags: string) => string | undefined;

/**
 * Limits of recheck. Its other limits of time end an attempt early, and then it guesses, so that verdicts would depend on the load of the
 * machine; the limits of characters remain. An expression that cannot be judged takes the whole `timeout`, in milliseconds.
 */
const limits = { timeout: 120_000, attackTimeout: null, incubationTimeout: null, seedingTimeout: null };

/**
 * Runs recheck, which takes up to seconds for an expression, only for those that are not in the file of what this version of recheck
 * found to be linear. `keep` writes that file with the expressions of this run. A finding is not kept: it may have a passing cause.
 */
export function judgeWith(
  check: (source: string, flags: string, limits: Parameters) => Verdict,
  version: string,
  file: string,
) {
  const kept: Kept = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { recheck: version, linear: [] };
  // Another version may find what this one did not.
  const known = new Set(kept.recheck === version ? kept.linear : []);
  const linear = new Set<string>();
  const judge: Judge = (source, flags) => {
    const literal = `/${source}/${flags}`;
    if (!known.has(literal)) {
      const result = check(source, flags, limits);
      if (result.status === 'unknown') return 'cannot be judged';
      if (result.status === 'vulnerable') return `${result.complexity.summary}: ${result.attack.pattern}`;
    }
    linear.add(literal);
    return undefined;
  };
  const keep = () => {
    const found: Kept = { recheck: version, linear: [...linear].sort() };
    writeFileSync(file, `${JSON.stringify(found, null, 2)}\n`);
  };
  return { judge, keep };
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
