import type { Contender, Operation } from './contender';
import { startLicenseServer } from './deployment';
import { LoadGenerator } from './load';
import { type Figures, type Load, measure, medians, warmUp } from './measure';
import { startProduct } from './product';
import { startFloor, startTokenIssuer } from './references';

/** How much is measured. */
export interface Extent {
  /** To each server. */
  connections: number;
  rounds: number;
  /** Requests of each server before the first round, enough for the compiler to be done. */
  warmUp: number;
  /** Requests of a round. */
  count: number;
}

/** The figures of one contender, at full load and at half of the slowest one's throughput. */
export interface Result {
  name: string;
  full: Figures;
  half: Figures;
}

/** Measures an operation of all contenders that have it, in turns. */
async function compare(
  operation: Operation,
  all: Contender[],
  generator: LoadGenerator,
  { connections, rounds, warmUp: first, count }: Extent,
): Promise<Result[]> {
  const contenders = all.filter(({ operations: own }) => own.includes(operation));
  for (const contender of contenders) {
    await warmUp(contender, operation, generator, { connections, count: first });
  }
  const measured = contenders.map((contender) => ({ contender, full: [] as Figures[], half: [] as Figures[] }));
  const inTurn = async (at: 'full' | 'half', load: Load): Promise<void> => {
    for (let round = 0; round < rounds; round += 1) {
      for (const each of measured) each[at].push(await measure(each.contender, operation, generator, load));
    }
  };
  await inTurn('full', { connections, count });
  const perSecond = Math.min(...measured.map(({ full }) => medians(full).requestsPerSecond)) / 2;
  await inTurn('half', { connections, count, perSecond });
  return measured.map(({ contender, full, half }) => ({
    name: contender.name,
    full: medians(full),
    half: medians(half),
  }));
}

const nameWidth = 24;

function rowsOf(operation: Operation, results: Result[]): string[] {
  const floor = results.find(({ name }) => name === 'floor')?.full.cpuMicrosecondsPerRequest ?? Number.NaN;
  return results.map(({ name, full, half }) => {
    const times = full.cpuMicrosecondsPerRequest / floor;
    return [
      operation.padEnd(9),
      name.padEnd(nameWidth),
      full.requestsPerSecond.toFixed(0).padStart(8),
      full.cpuMicrosecondsPerRequest.toFixed(0).padStart(8),
      times.toFixed(2).padStart(8),
      full.p50Milliseconds.toFixed(2).padStart(8),
      full.p99Milliseconds.toFixed(2).padStart(8),
      half.p50Milliseconds.toFixed(2).padStart(8),
      half.p99Milliseconds.toFixed(2).padStart(8),
    ].join(' ');
  });
}

interface Comparison {
  extent: Extent;
  operations: readonly Operation[];
  /** Where the service's processes and the floor write CPU profiles when they stop; default: none are written. */
  profileFolder?: string | undefined;
  /** Takes the lines of the table. */
  print(line: string): void;
}

/**
 * Compares the playback service with a floor and with oidc-provider, in turns; resolves to the figures of each operation.
 * Throws if an answer was wrong. Needs the servers of the test kit.
 */
export async function compareServers({
  extent,
  operations,
  profileFolder,
  print,
}: Comparison): Promise<Record<string, Result[]>> {
  const licenseServerUrl = await startLicenseServer();
  const generator = LoadGenerator.start();
  const contenders: Contender[] = [];
  const results: Record<string, Result[]> = {};
  try {
    contenders.push(...(await startProduct(licenseServerUrl, { profileFolder })));
    contenders.push(await startFloor(licenseServerUrl, profileFolder));
    contenders.push(await startTokenIssuer());
    print(
      `operation ${'server'.padEnd(nameWidth)}    per s   CPU µs  × floor   p50 ms   p99 ms   p50, p99 at half of the slowest’s, ms`,
    );
    for (const operation of operations) {
      const figures = await compare(operation, contenders, generator, extent);
      for (const row of rowsOf(operation, figures)) print(row);
      results[operation] = figures;
    }
  } finally {
    generator.stop();
    for (const contender of contenders) await contender.stop();
  }
  return results;
}
