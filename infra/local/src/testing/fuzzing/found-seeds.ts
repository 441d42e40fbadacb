import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Of the numbers from which an operation's requests are made, one that found something. */
export interface FoundSeed {
  seed: number;
  /** How many requests it takes. */
  runs: number;
}

const foundFolder = join(__dirname, 'found');

/** What was found of an operation before, oldest first: every run asks that again, before anything else. */
export function foundSeeds(operationId: string, folder = foundFolder): FoundSeed[] {
  const file = join(folder, operationId);
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => {
    const [seed, runs] = line.split(' ').map(Number);
    if (seed === undefined || runs === undefined) throw new Error(`${file}: "${line}" is no seed with its runs`);
    return { seed, runs };
  });
}

/** Keeps a seed that found something, once. */
export function keepSeed(operationId: string, found: FoundSeed, folder = foundFolder): void {
  if (foundSeeds(operationId, folder).some(({ seed, runs }) => seed === found.seed && runs >= found.runs)) return;
  mkdirSync(folder, { recursive: true });
  appendFileSync(join(folder, operationId), `${found.seed} ${found.runs}\n`);
}
