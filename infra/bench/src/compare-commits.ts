import { join } from 'node:path';
import { percentile } from '@multi-drm/test-kit/load/percentile';
import type { Commit } from './commit';
import type { Extent } from './compare-servers';
import type { Contender, Operation } from './contender';
import { startLicenseServer } from './deployment';
import { LoadGenerator } from './load';
import { measure, warmUp } from './measure';
import { startProduct } from './product';
import { bytesOfSession, sessionsOfViewers } from './session-bytes';

/** The same operation of each deployment. */
interface Call<Each = Contender> {
  name: string;
  operation: Operation;
  /** The deployment of this checkout. */
  here: Each;
  /** The deployment of the commit. */
  commit: Each;
  /** A second deployment of the commit: what it differs from the first means nothing. */
  again: Each;
}

/** Microseconds of processor time that a call takes, of each round. */
export type CallRounds = Omit<Call<number[]>, 'operation'>;

/** Of Redis, for viewers with as many sessions. */
interface SessionBytes {
  perViewer: number;
  here: number;
  commit: number;
}

/** Measures a call in alternating rounds; each round begins with another deployment. */
export async function measureCall(
  { name, operation, ...contenders }: Call,
  generator: LoadGenerator,
  { connections, rounds, warmUp: first, count }: Extent,
): Promise<CallRounds> {
  const order = ['here', 'commit', 'again'] as const;
  const times: CallRounds = { name, here: [], commit: [], again: [] };
  for (const each of order) await warmUp(contenders[each], operation, generator, { connections, count: first });
  for (let round = 0; round < rounds; round += 1) {
    for (const index of order.keys()) {
      const each = order[(index + round) % order.length] ?? 'here';
      const figures = await measure(contenders[each], operation, generator, { connections, count });
      times[each].push(figures.cpuMicrosecondsPerRequest);
    }
  }
  return times;
}

const median = (values: number[]): number => percentile(values, 0.5);

/** Sums the calls of each round. */
export function totalOf(calls: readonly CallRounds[]): CallRounds {
  const sums = (of: 'here' | 'commit' | 'again') =>
    (calls[0]?.[of] ?? []).map((_, round) => calls.reduce((sum, call) => sum + (call[of][round] ?? Number.NaN), 0));
  return { name: 'all of these', here: sums('here'), commit: sums('commit'), again: sums('again') };
}

/** The median of the rounds' ratios to the commit, and the lowest and the highest. */
function ratios(own: number[], commit: number[]): string {
  const each = own.map((value, round) => value / (commit[round] ?? Number.NaN));
  const [middle, low, high] = [median(each), Math.min(...each), Math.max(...each)].map((value) => value.toFixed(3));
  return `${middle} (${low} to ${high})`.padStart(24);
}

const nameWidth = 24;

/** The head of the table of processor time. */
export function callHead({ name }: Pick<Commit, 'name'>): string {
  const columns = ['CPU µs of a call'.padEnd(nameWidth), name.padStart(10), 'here'.padStart(10)];
  return [...columns, `here / ${name}`.padStart(24), 'the same commit again'.padStart(24)].join(' ');
}

/** A row of the table of processor time. */
export function callRow({ name, here, commit, again }: CallRounds): string {
  return [
    name.padEnd(nameWidth),
    median(commit).toFixed(0).padStart(10),
    median(here).toFixed(0).padStart(10),
    ratios(here, commit),
    ratios(again, commit),
  ].join(' ');
}

/** How to read the table of processor time. */
const callNotes = ({ name }: Commit): string[] => [
  'Medians of the rounds; in parentheses, the lowest and the highest ratio of a round.',
  `The last column is a second deployment of ${name}: a difference of this size means nothing.`,
];

/** The table of memory. */
function byteTable(bytes: readonly SessionBytes[], { name }: Commit, sessions: number): string[] {
  return [
    [
      'bytes of a session'.padEnd(nameWidth),
      name.padStart(10),
      'here'.padStart(10),
      `here − ${name}`.padStart(24),
    ].join(' '),
    ...bytes.map(({ perViewer, here, commit }) =>
      [
        `${perViewer} of each viewer`.padEnd(nameWidth),
        commit.toFixed(1).padStart(10),
        here.toFixed(1).padStart(10),
        (here - commit).toFixed(1).padStart(24),
      ].join(' '),
    ),
    `In Redis, of ${sessions} active sessions, each licensed and renewed once.`,
  ];
}

interface Comparison {
  commit: Commit;
  extent: Extent;
  operations: readonly Operation[];
  /** For the bytes of a session, with each number of sessions of a viewer; 0 to leave them out. */
  sessions: number;
  /** Where each deployment's processes write CPU profiles, in a folder of its name; default: none are written. */
  profileFolder?: string | undefined;
  /** Takes the lines of the tables. */
  print(line: string): void;
}

/**
 * Compares the build of this checkout with that of a commit: processor time of calls in alternating rounds, beside the commit against
 * itself, and bytes of a session in Redis. Resolves to all figures. Throws if an answer was wrong. Needs the servers of the test kit.
 */
export async function compareCommits(comparison: Comparison): Promise<{ calls: CallRounds[]; bytes: SessionBytes[] }> {
  const { commit, sessions, print } = comparison;
  const licenseServerUrl = await startLicenseServer();
  const generator = LoadGenerator.start();
  try {
    const calls = await compareCalls(comparison, generator, licenseServerUrl);
    const bytes: SessionBytes[] = [];
    for (const perViewer of sessions > 0 ? sessionsOfViewers : []) {
      const measured = (checkout?: string) =>
        bytesOfSession({ sessions, perViewer }, generator, licenseServerUrl, checkout);
      bytes.push({ perViewer, commit: await measured(commit.folder), here: await measured() });
    }
    if (sessions > 0) for (const line of byteTable(bytes, commit, sessions)) print(line);
    return { calls, bytes };
  } finally {
    generator.stop();
  }
}

async function compareCalls(
  { commit, extent, operations, profileFolder, print }: Comparison,
  generator: LoadGenerator,
  licenseServerUrl: string,
): Promise<CallRounds[]> {
  const started: Contender[] = [];
  const start = async (name: string, checkout?: string): Promise<Contender[]> => {
    const ownFolder = profileFolder === undefined ? undefined : join(profileFolder, name);
    const contenders = await startProduct(licenseServerUrl, { name, checkout, profileFolder: ownFolder });
    started.push(...contenders);
    return contenders;
  };
  try {
    const here = await start('here');
    const first = await start(commit.name, commit.folder);
    const again = await start(`${commit.name} again`, commit.folder);
    const calls = operations.flatMap((operation) =>
      here.flatMap((own, index): Call[] => {
        const [other, second] = [first[index], again[index]];
        if (!own.operations.includes(operation) || other === undefined || second === undefined) return [];
        const name = index === 0 ? operation : `${operation}, unknown token`;
        return [{ name, operation, here: own, commit: other, again: second }];
      }),
    );
    print(callHead(commit));
    const measured: CallRounds[] = [];
    for (const call of calls) {
      const rounds = await measureCall(call, generator, extent);
      print(callRow(rounds));
      measured.push(rounds);
    }
    for (const line of [callRow(totalOf(measured)), ...callNotes(commit)]) print(line);
    return measured;
  } finally {
    for (const contender of started) await contender.stop();
  }
}
