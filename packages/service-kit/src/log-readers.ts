import type { Writable } from 'node:stream';

/**
 * Keeps the process running when nobody reads its log any more (EPIPE). Without a listener, an error of a standard
 * stream would end the process and all its requests. The first error of a stream is reported on the other one, if that
 * still has a reader.
 */
export function outliveLogReaders(stdout: Writable = process.stdout, stderr: Writable = process.stderr): void {
  const reportOnce = (name: string, stream: Writable, other: Writable) => {
    let reported = false;
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (reported) return;
      reported = true;
      other.write(`${JSON.stringify({ level: 'warn', message: `${name} is no longer read`, code: error.code })}\n`);
    });
  };
  reportOnce('standard output', stdout, stderr);
  reportOnce('standard error', stderr, stdout);
}
