/** An expected failure whose message is written for the reader of the terminal: shown without a stack. */
export class ReadableFailure extends Error {
  override readonly name = 'ReadableFailure';
}

/** Prints one line for the reader. */
export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Prints why a command failed: the bare message where it was written for the reader, the stack where it was not. */
export function sayFailure(error: unknown): void {
  if (error instanceof ReadableFailure) process.stderr.write(`\n${error.message}\n`);
  else process.stderr.write(`\n${error instanceof Error ? error.stack : String(error)}\n`);
}
