import type { Writable } from 'node:stream';

/**
 * Has the process go on where nobody takes its log any more (EPIPE): the error of a standard stream that nobody listens to would
 * end it, and with it every request. The first error of a stream is told on the other one, if that still has a reader.
 */
export function outliveLogReaders(stdout: Writable = process.stdout, stderr: Writable = process.stderr): void {
  const tellOnce = (name: string, stream: Writable, other: Writable) => {
    let told = false;
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (told) return;
      told = true;
      other.write(`${JSON.stringify({ level: 'warn', message: `${name} takes no log any more`, code: error.code })}\n`);
    });
  };
  tellOnce('standard output', stdout, stderr);
  tellOnce('standard error', stderr, stdout);
}
