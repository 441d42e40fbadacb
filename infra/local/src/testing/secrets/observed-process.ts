import { join } from 'node:path';
import { Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { currentName, keep } from './kept-files';

/**
 * What a suite adds to a Node process that runs a service from source, so that the run keeps its log, at level `debug`, and
 * remembers its secrets: arguments after the one that loads tsx, and variables.
 */
export const observedProcess: { args: string[]; environment: Record<string, string> } = {
  args: [`--import=${pathToFileURL(join(__dirname, 'observe-process.ts')).href}`],
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
