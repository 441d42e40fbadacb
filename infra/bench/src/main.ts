import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withTestServers } from '@multi-drm/testing/stand-alone-servers';
import { type Contender, type Operation, operations } from './contender';
import { measureControlPlaneGrowth } from './growth/control-plane';
import { LoadGenerator } from './load';
import { type Figures, type Load, measure, medians } from './measure';
import { startLicenseServer, startProduct } from './product';
import { startFloor, startTokenIssuer } from './references';
import { compareStarts } from './start/compare-starts';

/** How much is measured. `smoke` only shows that the bench works. */
const extents = {
  full: { rounds: 5, warmUp: 2_000, count: 2_000 },
  smoke: { rounds: 1, warmUp: 50, count: 50 },
};
const connections = 16;

const resultsFolder = join(__dirname, '../results');

/** The figures of one contender, at full load and at half of the product's throughput. */
interface Result {
  name: string;
  full: Figures;
  half: Figures;
}

/** Measures an operation of all contenders that have it, the product first, in turns. */
async function compare(
  operation: Operation,
  all: Contender[],
  generator: LoadGenerator,
  { rounds, warmUp, count }: (typeof extents)['full'],
): Promise<Result[]> {
  const contenders = all.filter(({ operations: own }) => own.includes(operation));
  for (const contender of contenders) await measure(contender, operation, generator, { connections, count: warmUp });
  const measured = contenders.map((contender) => ({ contender, full: [] as Figures[], half: [] as Figures[] }));
  const inTurn = async (at: 'full' | 'half', load: Load): Promise<void> => {
    for (let round = 0; round < rounds; round += 1) {
      for (const each of measured) each[at].push(await measure(each.contender, operation, generator, load));
    }
  };
  await inTurn('full', { connections, count });
  const perSecond = medians(measured[0]?.full ?? []).requestsPerSecond / 2;
  await inTurn('half', { connections, count, perSecond });
  return measured.map(({ contender, full, half }) => ({
    name: contender.name,
    full: medians(full),
    half: medians(half),
  }));
}

function print(operation: Operation, results: Result[]): void {
  const floor = results.find(({ name }) => name === 'floor')?.full.cpuMicrosecondsPerRequest ?? Number.NaN;
  for (const { name, full, half } of results) {
    const times = full.cpuMicrosecondsPerRequest / floor;
    console.log(
      [
        operation.padEnd(9),
        name.padEnd(14),
        full.requestsPerSecond.toFixed(0).padStart(8),
        full.cpuMicrosecondsPerRequest.toFixed(0).padStart(8),
        times.toFixed(2).padStart(8),
        full.p50Milliseconds.toFixed(2).padStart(8),
        full.p99Milliseconds.toFixed(2).padStart(8),
        half.p50Milliseconds.toFixed(2).padStart(8),
        half.p99Milliseconds.toFixed(2).padStart(8),
      ].join(' '),
    );
  }
}

/**
 * `npm run bench [-- --smoke] [--profile] [<operation>…]`: compares the playback service with a floor and with oidc-provider, in turns in one run.
 * Prints a table, writes all figures to `infra/bench/results/figures.json`, and exits with 1 if an answer was wrong.
 */
async function main(args: string[]): Promise<void> {
  const extent = args.includes('--smoke') ? extents.smoke : extents.full;
  const named = operations.filter((operation) => args.includes(operation));
  mkdirSync(resultsFolder, { recursive: true });
  await withTestServers(async () => {
    const licenseServerUrl = await startLicenseServer();
    const generator = LoadGenerator.start();
    const profileFolder = args.includes('--profile') ? resultsFolder : undefined;
    const contenders = [
      await startProduct(licenseServerUrl, profileFolder),
      await startFloor(licenseServerUrl, profileFolder),
      await startTokenIssuer(),
    ];
    const results: Record<string, Result[]> = {};
    console.log(
      'operation server         per s    CPU µs  × floor  p50 ms  p99 ms   p50, p99 at half of the throughput, ms',
    );
    try {
      for (const operation of named.length > 0 ? named : operations) {
        const figures = await compare(operation, contenders, generator, extent);
        print(operation, figures);
        results[operation] = figures;
      }
    } finally {
      generator.stop();
      for (const contender of contenders) await contender.stop();
    }
    writeFileSync(join(resultsFolder, 'figures.json'), `${JSON.stringify(results, null, 2)}\n`);
  });
}

/** What `npm run bench -- <program>` runs; without a name, the comparison of requests. */
const programs: Record<string, (args: string[]) => Promise<void>> = {
  start: compareStarts,
  'growth-control-plane': measureControlPlaneGrowth,
};

const [program = '', ...args] = process.argv.slice(2);
(programs[program]?.(args) ?? main(process.argv.slice(2))).then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
