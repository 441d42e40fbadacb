import { parseArgs } from 'node:util';
import { misspelledSettings } from './misspelled-settings';

interface Command {
  /** How the program is called and what it does, for people. */
  usage: string;
  /** The options that it knows beside `--help`; none of them takes a value. */
  options?: readonly string[];
  /** The environment variables that it reads. */
  settings?: readonly string[];
}

/** What a program was asked to do: its work with these options, or only to print a text and end. */
export type Asked = { options: ReadonlySet<string> } | { text: string; exitCode: 0 | 1 };

/** Reads arguments. Whatever the program does not know is refused, so that a mistake changes nothing. */
export function readArguments({ usage, options: known = [] }: Command, given: readonly string[]): Asked {
  const flag = { type: 'boolean' } as const;
  try {
    const { values } = parseArgs({
      args: [...given],
      options: { help: { ...flag, short: 'h' }, ...Object.fromEntries(known.map((name) => [name, flag])) },
    });
    if (values.help === true) return { text: `${usage}\n`, exitCode: 0 };
    return { options: new Set(known.filter((name) => values[name as keyof typeof values] === true)) };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return { text: `${error.message}\n${usage}\n`, exitCode: 1 };
  }
}

/**
 * Reads the arguments of this program, and returns its options. Ends it after `--help`, and if it does not know an argument. Prints a
 * warning of each variable that is almost named like a setting of it.
 */
export function commandOptions(command: Command): ReadonlySet<string> {
  const asked = readArguments(command, process.argv.slice(2));
  if ('options' in asked) {
    for (const warning of misspelledSettings(process.env, command.settings ?? [])) process.stderr.write(`${warning}\n`);
    return asked.options;
  }
  (asked.exitCode === 0 ? process.stdout : process.stderr).write(asked.text);
  process.exit(asked.exitCode);
}
