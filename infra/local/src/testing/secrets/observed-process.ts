import { join } from 'node:path';
import { Writable } from 'node:stream';
import { fromSource } from '../from-source';
import { currentName, keep } from './kept-files';

/**
 * How a suite starts a program of the workspace from source, as a Node process of its own, so that the run keeps its log,
 * at level `debug`, and remembers its secrets: arguments, and variables.
 */
export const observedProcess: { args(program: string): string[]; environment: Record<string, string> } = {
  args: (program) => fromSource(program, join(__dirname, 'observe-process.ts')),
  environment: { TEST_FOLDER: process.env.TEST_FOLDER ?? '' },
};

/** A stream for the logger of a service that runs inside a suite: the run keeps what is written. */
export function keptLog(): Writable {
  return new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      keep('logs', currentName(), chunk);
      done();
    },
  });
}
