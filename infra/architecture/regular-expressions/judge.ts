import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { checkSync } from 'recheck';
import type { Exception } from './exceptions';
import type { FoundExpression } from './found-expressions';

/** Returns recheck's finding for an expression; undefined if its time is linear. */
type Judge = (source: string, flags: string) => string | undefined;

/** Milliseconds for one expression: enough for a slow machine. An expression that cannot be judged takes all of it. */
const timeout = 20_000;

/** Runs recheck and caches its results in a file, so that the next run checks only new expressions. */
export function judgeWith(check: typeof checkSync, file: string): Judge {
  const known = readCache(file);
  return (source, flags) => {
    const literal = `/${source}/${flags}`;
    const cached = known[literal];
    if (cached !== undefined) return cached || undefined;
    const result = check(source, flags, { timeout });
    const finding = { safe: '', unknown: 'cannot be judged', vulnerable: '' }[result.status];
    known[literal] =
      result.status === 'vulnerable' ? `${result.complexity.summary}: ${result.attack.pattern}` : finding;
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, JSON.stringify(known, null, 2));
    return known[literal] || undefined;
  };
}

function readCache(file: string): Record<string, string> {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return {}; // the first run, or one that was interrupted while it wrote
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
