import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withTestServers } from '@multi-drm/testing/stand-alone-servers';
import { compareServers } from './compare-servers';
import { connections, operations } from './contender';
import { loadCore, pin } from './cores';
import { measureControlPlaneGrowth } from './growth/control-plane';
import { measurePlaybackGrowth } from './growth/playback';
import { compareStarts } from './start/compare-starts';

const resultsFolder = join(__dirname, '../results');

/**
 * `npm run bench [-- --profile] [<operation>…]`: compares the playback service with a floor and with oidc-provider, in turns in one run.
 * Prints a table and writes all figures to `infra/bench/results/figures.json`.
 */
async function compareRequests(args: string[]): Promise<void> {
  const named = operations.filter((operation) => args.includes(operation));
  mkdirSync(resultsFolder, { recursive: true });
  // PostgreSQL, Redis and whatever else this process starts run on these cores, too, unless they are bound to others.
  pin(process.pid, loadCore);
  await withTestServers(async () => {
    const results = await compareServers({
      extent: { connections, rounds: 5, warmUp: 20_000, count: 3_000 },
      operations: named.length > 0 ? named : operations,
      print: console.log,
      profileFolder: args.includes('--profile') ? resultsFolder : undefined,
    });
    writeFileSync(join(resultsFolder, 'figures.json'), `${JSON.stringify(results, null, 2)}\n`);
  });
}

/** What `npm run bench -- <program>` runs; without a name, the comparison of requests. */
const programs: Record<string, (args: string[]) => Promise<void>> = {
  start: compareStarts,
  'growth-control-plane': measureControlPlaneGrowth,
  'growth-playback': measurePlaybackGrowth,
};

const [program = '', ...args] = process.argv.slice(2);
(programs[program]?.(args) ?? compareRequests(process.argv.slice(2))).then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
