import { watchParent } from './stop-request';
import { printFailure } from './terminal-output';

/** What a program exports as `main`: takes the arguments of the command and resolves to the exit code. */
type Main = (args: string[]) => Promise<number>;

/** Calls `main` of the program in a file; resolves to its exit code. If it fails, prints why, and resolves to 1. */
export async function runProgram(file: string, args: string[]): Promise<number> {
  try {
    const { main }: { main: Main } = require(file);
    return await main(args);
  } catch (error) {
    printFailure(error);
    return 1;
  }
}

// A process that is started for a program.
if (require.main === module) {
  const [, , file = '', ...args] = process.argv;
  // Nobody waits for it any more, as after `timeout 60 npm run bench`. The kernel ends what it has started.
  watchParent(() => process.exit(1)).unref();
  void runProgram(file, args).then((code) => process.exit(code));
}
