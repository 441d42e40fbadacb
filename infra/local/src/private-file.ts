import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';

/** Atomically writes a file that only its owner may read (0600): a reader sees the old or the new text, never a part. */
export function writePrivateFile(file: string, text: string): void {
  const unfinished = `${file}.${randomBytes(6).toString('hex')}`;
  const descriptor = openSync(unfinished, 'wx', 0o600);
  try {
    writeSync(descriptor, text);
    fsyncSync(descriptor);
    closeSync(descriptor);
    renameSync(unfinished, file);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
}

/** Writes a value as JSON; see {@link writePrivateFile}. */
export function writePrivateJson(file: string, value: unknown): void {
  writePrivateFile(file, `${JSON.stringify(value, null, 2)}\n`);
}

/** Returns the value in a JSON file that this program wrote, or undefined if the file does not exist. */
export function readJson(file: string): unknown {
  if (!existsSync(file)) return undefined;
  return JSON.parse(readFileSync(file, 'utf8'));
}
