import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Secret, secretKinds } from './secret-kinds';
import { describeFindings, type Medium } from './secret-places';
import { SecretSearch } from './secret-search';

/** The result of searching a run. */
export interface SearchReport {
  /** Secrets in plain text, and what makes the search incomplete. */
  findings: string[];
  /** One line for the user. */
  summary: string;
}

const maximumFindings = 50;

/**
 * Searches everything that a test run kept in its folder, and every write to its Redis servers, for every secret that it remembered. A
 * complete run must have remembered secrets of each kind, and kept something of each kind to search.
 */
export function searchRun(folder: string, isWhole: boolean): SearchReport {
  const secrets = readSecrets(join(folder, 'secrets'));
  const files: Record<Medium, string[]> = {
    // Including those of PostgreSQL and Redis.
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
  const more = found.length > maximumFindings ? [`and ${found.length - maximumFindings} more`] : [];
  return {
    findings: [...missing, ...found.slice(0, maximumFindings), ...more],
    summary: summaryOf(secrets.length, files),
  };
}

function whatIsMissing(secrets: Secret[], files: Record<Medium, string[]>): string[] {
  const kinds = secretKinds.filter((kind) => !secrets.some((secret) => secret.kind === kind));
  const media = Object.entries(files).flatMap(([medium, paths]) => (paths.length === 0 ? [medium] : []));
  return [
    ...kinds.map((kind) => `The run remembered no ${kind}, so the search for them cannot fail.`),
    ...media.map((medium) => `The run kept no ${medium}, so they cannot be searched.`),
  ];
}

function summaryOf(secrets: number, { logs, problems, databases, redis }: Record<Medium, string[]>): string {
  const count = (value: number, name: string): string =>
    `${value.toLocaleString('en-US')} ${name}${value === 1 ? '' : 's'}`;
  return (
    `No secret in plain text: ${count(secrets, 'secret')} searched in ${count(logs.length, 'log')}, the problems of ` +
    `${count(problems.length, 'suite')}, ${count(databases.length, 'database')} and ${count(redis.length, 'Redis dump')}.`
  );
}

/** Reads the secrets, without duplicates from several processes. */
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
