/** An expected failure whose message is written for the user of the terminal: shown without a stack. */
export class ReadableFailure extends Error {
  override readonly name = 'ReadableFailure';
}

/** Prints one line. */
export function printLine(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Prints why a command failed: the message of a ReadableFailure, the stack of any other error. */
export function printFailure(error: unknown): void {
  if (error instanceof ReadableFailure) process.stderr.write(`\n${error.message}\n`);
  else process.stderr.write(`\n${error instanceof Error ? error.stack : String(error)}\n`);
}
