// Reads the arguments of the npm scripts, before anything is installed. Plain JavaScript, which needs nothing but Node.
import { parseArgs } from 'node:util';

/**
 * Returns the arguments that are no options, of which there may be as many as `most`. Prints the usage and ends the process after
 * `--help`, with 0, and for arguments that the command does not know, with 2: whatever is not understood must change nothing. `args`: by
 * default those of the process.
 */
export function readArguments(usage, most = 0, args = undefined) {
  try {
    const { values, positionals } = parseArgs({
      args,
      options: { help: { type: 'boolean', short: 'h' } },
      allowPositionals: most > 0,
    });
    if (values.help === true) {
      console.log(usage);
      process.exit(0);
    }
    if (positionals.length <= most) return positionals;
    console.error(`Too many arguments: ${positionals.slice(most).join(' ')}`);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    console.error(error.message);
  }
  console.error(usage);
  process.exit(2);
}
