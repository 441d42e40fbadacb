import { join } from 'node:path';
import { Writable } from 'node:stream';
import { fromSource } from '../services/from-source';
import { currentName, keep } from './kept-files';

/**
 * Arguments and variables with which a suite starts a program of the workspace from source in a separate Node process, so that the run
 * keeps its log at level `debug` and remembers its secrets.
 */
export const observedProcess: { args(program: string): string[]; environment: Record<string, string> } = {
  args: (program) => fromSource(program, join(__dirname, 'observe-process.ts')),
  environment: { TEST_FOLDER: process.env.TEST_FOLDER ?? '' },
};

/** A stream for the logger of a service that runs inside a suite; the run keeps its output. */
export function keptLog(): Writable {
  return new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      keep('logs', currentName(), chunk);
      done();
    },
  });
}
