import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withTestServers } from '@multi-drm/testing/stand-alone-servers';
import { type Contender, type Operation, operations } from './contender';
import { LoadGenerator } from './load';
import { type Figures, measure, medians } from './measure';
import { startLicenseServer, startProduct } from './product';
import { startFloor, startTokenIssuer } from './references';

/** How much is measured. `smoke` only shows that the bench works. */
const extents = {
  full: { rounds: 5, warmUp: 2_000, count: 2_000 },
  smoke: { rounds: 1, warmUp: 50, count: 50 },
};
const connections = 16;

const resultsFolder = join(__dirname, '../results');

/** The figures of one operation by contender, at full load and at half of the product's throughput. */
type Results = Record<string, { full: Figures; half: Figures }>;

async function compare(
  operation: Operation,
  all: Contender[],
  generator: LoadGenerator,
  { rounds, warmUp, count }: (typeof extents)['full'],
): Promise<Results> {
  const contenders = all.filter(({ operations: own }) => own.includes(operation));
  for (const contender of contenders) await measure(contender, operation, generator, { connections, count: warmUp });
  const inTurn = async (perSecond?: number): Promise<Map<string, Figures>> => {
    const figures = new Map<string, Figures[]>(contenders.map(({ name }) => [name, []]));
    for (let round = 0; round < rounds; round += 1) {
      for (const contender of contenders) {
        const load = { connections, count, ...(perSecond === undefined ? {} : { perSecond }) };
        figures.get(contender.name)?.push(await measure(contender, operation, generator, load));
      }
    }
    return new Map([...figures].map(([name, of]) => [name, medians(of)]));
  };
  const full = await inTurn();
  const [product] = full.values();
  const half = await inTurn((product?.requestsPerSecond ?? 0) / 2);
  return Object.fromEntries(
    contenders.flatMap(({ name }) => {
      const [atFull, atHalf] = [full.get(name), half.get(name)];
      return atFull === undefined || atHalf === undefined ? [] : [[name, { full: atFull, half: atHalf }]];
    }),
  );
}

function print(operation: Operation, results: Results): void {
  const [floor] = Object.entries(results).filter(([name]) => name === 'floor');
  for (const [name, { full, half }] of Object.entries(results)) {
    const times = full.cpuMicrosecondsPerRequest / (floor?.[1].full.cpuMicrosecondsPerRequest ?? Number.NaN);
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
    const contenders = [
      await startProduct(licenseServerUrl, args.includes('--profile') ? resultsFolder : undefined),
      await startFloor(licenseServerUrl),
      await startTokenIssuer(),
    ];
    const results: Record<string, Results> = {};
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

main(process.argv.slice(2)).then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
