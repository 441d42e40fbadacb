import { existsSync, readFileSync, renameSync } from 'node:fs';

/** Returns the last lines of a log file, to show why something failed. */
export function lastLines(file: string, count: number): string {
  if (!existsSync(file)) return '(nothing was written)';
  return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-count).join('\n');
}

/** Starts a new log file and keeps the previous one. */
export function beginLogFile(file: string): string {
  if (existsSync(file)) renameSync(file, `${file}.previous`);
  return file;
}
