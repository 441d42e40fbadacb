import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Secret, secretKinds } from './secret-kinds';
import { describeFindings, type Medium } from './secret-places';
import { SecretSearch } from './secret-search';

/** What the search of a run came to. */
export interface SearchReport {
  /** Secrets in the clear, and what kept the search from being one; none is good. */
  faults: string[];
  /** One line for the reader. */
  summary: string;
}

const mostFaults = 50;

/**
 * Searches what a test run kept in its folder, and every write to its Redis servers, for every secret that it remembered.
 * A whole run has to have remembered secrets of each kind, and to have kept something of each kind to search.
 */
export function searchRun(folder: string, isWhole: boolean): SearchReport {
  const secrets = readSecrets(join(folder, 'secrets'));
  const files: Record<Medium, string[]> = {
    // Those of PostgreSQL and Redis, too.
    logs: [...filesIn(join(folder, 'logs')), ...filesIn(folder, /\.log$/)],
    problems: filesIn(join(folder, 'problems')),
    databases: filesIn(join(folder, 'databases')),
    redis: filesIn(folder, /appendonly.*\.aof$/),
  };
  const search = new SecretSearch(secrets);
  const found = Object.entries(files).flatMap(([medium, paths]) =>
    paths.flatMap((file) => {
      const findings = search.findInFile(file);
      return findings.length === 0 ? [] : describeFindings(medium as Medium, file, findings, search);
    }),
  );
  const missing = isWhole ? whatIsMissing(secrets, files) : [];
  const more = found.length > mostFaults ? [`and ${found.length - mostFaults} more`] : [];
  return { faults: [...missing, ...found.slice(0, mostFaults), ...more], summary: summaryOf(secrets.length, files) };
}

function whatIsMissing(secrets: Secret[], files: Record<Medium, string[]>): string[] {
  const kinds = secretKinds.filter((kind) => !secrets.some((secret) => secret.kind === kind));
  const media = Object.entries(files).flatMap(([medium, paths]) => (paths.length === 0 ? [medium] : []));
  return [
    ...kinds.map((kind) => `The run remembered no ${kind}: the search for those cannot fail.`),
    ...media.map((medium) => `The run kept no ${medium}: they cannot be searched.`),
  ];
}

function summaryOf(secrets: number, { logs, problems, databases, redis }: Record<Medium, string[]>): string {
  const count = (value: number, name: string): string =>
    `${value.toLocaleString('en-US')} ${name}${value === 1 ? '' : 's'}`;
  return (
    `No secret in the clear: ${count(secrets, 'secret')} searched in ${count(logs.length, 'log')}, the problems of ` +
    `${count(problems.length, 'suite')}, ${count(databases.length, 'database')} and ${count(redis.length, 'Redis dump')}.`
  );
}

/** Each once, whichever processes saw it. */
function readSecrets(folder: string): Secret[] {
  const lines = filesIn(folder).flatMap((file) => readFileSync(file, 'utf8').split('\n').filter(Boolean));
  return [...new Set(lines)].map((line) => JSON.parse(line) as Secret);
}

function filesIn(folder: string, name = /./): string[] {
  if (!existsSync(folder)) return [];
  const entries = readdirSync(folder, { recursive: name.source !== '.', withFileTypes: true });
  return entries.flatMap((entry) =>
    entry.isFile() && name.test(entry.name) ? [join(entry.parentPath, entry.name)] : [],
  );
}
