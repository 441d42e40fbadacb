import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ReadableFailure } from '@multi-drm/local/terminal-output';
import { withTestServers } from '@multi-drm/test-kit/servers/stand-alone-servers';
import { withCommit } from './commit';
import { compareCommits } from './compare-commits';
import { compareServers } from './compare-servers';
import { connections, operations } from './contender';
import { loadCore, pin } from './cores';
import { measureEvents } from './events/measure-events';
import { measureControlPlaneGrowth } from './growth/control-plane';
import { measurePlaybackGrowth } from './growth/playback';
import { compareStarts } from './start/compare-starts';
import { measureUsage } from './usage/measure-usage';

const resultsFolder = join(__dirname, '../results');

/**
 * `npm run bench [-- <operation>…] [--profile] [--rounds 5] [--count 3000]`: compares the playback service with a floor and with
 * oidc-provider, in turns in one run. Prints a table and writes all figures to `infra/bench/results/figures.json`.
 *
 * `npm run bench -- <commit> [<operation>…] [--profile] [--rounds 5] [--count 3000] [--sessions 20000]`: builds another commit and compares
 * this checkout with it. Prints tables and writes all figures to `infra/bench/results/commits.json`. `--count` is the calls of a round,
 * `--sessions` how many sessions the bytes of one are measured with.
 */
async function compareRequests(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      profile: { type: 'boolean', default: false },
      rounds: { type: 'string', default: '5' },
      count: { type: 'string', default: '3000' },
      sessions: { type: 'string', default: '20000' },
    },
  });
  const named = operations.filter((operation) => positionals.includes(operation));
  const [ref, ...others] = positionals.filter((name) => !operations.some((operation) => operation === name));
  if (others.length > 0) throw new ReadableFailure(`Only one commit can be compared, not also ${others.join(', ')}.`);
  const [rounds, count] = [Number(values.rounds), Number(values.count)];
  const extent = { connections, rounds, warmUp: 20_000, count };
  const profileFolder = values.profile ? resultsFolder : undefined;
  const shared = { extent, operations: named.length > 0 ? named : operations, print: console.log, profileFolder };
  if (ref === undefined) {
    await writeResults('figures.json', () => compareServers(shared));
    return;
  }
  await withCommit(ref, async (commit) => {
    // Fewer, because what both have not compiled yet hardly changes the ratio.
    const warmUp = Math.min(10_000, 4 * count);
    const sessions = Number(values.sessions);
    await writeResults('commits.json', () =>
      compareCommits({ ...shared, extent: { ...extent, warmUp }, commit, sessions }),
    );
  });
}

/** Measures with the servers of the test kit and writes the figures to a file of this name. */
async function writeResults(file: string, run: () => Promise<unknown>): Promise<void> {
  mkdirSync(resultsFolder, { recursive: true });
  // PostgreSQL, Redis and whatever else this process starts run on these cores, too, unless they are bound to others.
  pin(process.pid, loadCore);
  await withTestServers(async () => {
    writeFileSync(join(resultsFolder, file), `${JSON.stringify(await run(), null, 2)}\n`);
  });
}

/** What `npm run bench -- <program>` runs; without a name, the comparison of requests. */
const programs: Record<string, (args: string[]) => Promise<void>> = {
  start: compareStarts,
  events: measureEvents,
  usage: measureUsage,
  'growth-control-plane': measureControlPlaneGrowth,
  'growth-playback': measurePlaybackGrowth,
};

export async function main(args: string[]): Promise<number> {
  const [program = '', ...others] = args;
  await (programs[program]?.(others) ?? compareRequests(args));
  return 0;
}
