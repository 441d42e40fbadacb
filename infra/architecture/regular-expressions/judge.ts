import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { checkSync } from 'recheck';
import type { Exception } from './exceptions';
import type { FoundExpression } from './found-expressions';

/** What recheck says of an expression: nothing where its time grows no faster than the text. */
type Judge = (source: string, flags: string) => string | undefined;

/** Milliseconds for one expression. A slow machine gets it judged, too; what cannot be judged takes all of them. */
const longest = 20_000;

/** Asks recheck, and keeps what it said in a file: the next run asks of new expressions alone. */
export function judgeWith(check: typeof checkSync, file: string): Judge {
  const known = kept(file);
  return (source, flags) => {
    const literal = `/${source}/${flags}`;
    const before = known[literal];
    if (before !== undefined) return before || undefined;
    const said = check(source, flags, { timeout: longest });
    const fault = { safe: '', unknown: 'cannot be judged', vulnerable: '' }[said.status];
    known[literal] = said.status === 'vulnerable' ? `${said.complexity.summary}: ${said.attack.pattern}` : fault;
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, JSON.stringify(known, null, 2));
    return known[literal] || undefined;
  };
}

function kept(file: string): Record<string, string> {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return {}; // the first run, or one that was ended while it wrote
  }
}

/** What is wrong, a line each: expressions that are not linear, and exceptions that are none any more. */
export function faultsOf(found: FoundExpression[], exceptions: Exception[], judge: Judge): string[] {
  const meets =
    ({ file, source, isMade }: FoundExpression) =>
    (exception: Exception) =>
      exception.file === file && (isMade ? source.startsWith(exception.source) : source === exception.source);
  const unused = exceptions
    .filter((exception) => !found.some((one) => meets(one)(exception)))
    .map(({ file, source }) => `${file}: ${source} is an exception, and is not there any more`);
  const slow = found
    .filter((one) => !exceptions.some(meets(one)))
    .flatMap(({ file, source, flags, isMade }) => {
      const fault = isMade ? 'is made while the service runs' : judge(source, flags);
      return fault === undefined ? [] : [`${file}: /${source}/${flags} ${fault}`];
    });
  return [...unused, ...new Set(slow)];
}
