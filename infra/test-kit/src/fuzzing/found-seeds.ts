import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A seed of an operation's requests that found something. */
export interface FoundSeed {
  seed: number;
  /** The number of requests it takes. */
  runs: number;
}

const foundFolder = join(__dirname, 'found');

/** Returns the operation's seeds that found something before, oldest first. Every run repeats them first. */
export function foundSeeds(operationId: string, folder = foundFolder): FoundSeed[] {
  const file = join(folder, operationId);
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => {
    const [seed, runs] = line.split(' ').map(Number);
    if (seed === undefined || runs === undefined) throw new Error(`${file}: "${line}" is not a seed with its runs`);
    return { seed, runs };
  });
}

/** Stores a seed that found something, once. */
export function keepSeed(operationId: string, found: FoundSeed, folder = foundFolder): void {
  if (foundSeeds(operationId, folder).some(({ seed, runs }) => seed === found.seed && runs >= found.runs)) return;
  mkdirSync(folder, { recursive: true });
  appendFileSync(join(folder, operationId), `${found.seed} ${found.runs}\n`);
}
