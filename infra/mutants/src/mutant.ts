import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** One protection, and the change that takes it out. */
export interface Mutant {
  name: string;
  /** What holds while the code is as it is, in one sentence. */
  protection: string;
  /** Path in the repository. */
  file: string;
  /** Text that occurs exactly once in the file. */
  find: string;
  replace: string;
  /** Path patterns of the suites of which a test must fail, separated by spaces; `-t` and one word choose among their tests. */
  suite: string;
}

/** The mutant no longer fits its file. */
export class CannotApply extends Error {}

/**
 * Writes a mutant into its file. Returns a function that restores the file; it may be called again. Throws `CannotApply`
 * if the text is not there exactly once.
 */
export function apply({ file, find, replace }: Mutant, root: string): () => void {
  const path = join(root, file);
  if (!existsSync(path)) throw new CannotApply(`${file} does not exist`);
  const original = readFileSync(path);
  const parts = original.toString('utf8').split(find);
  if (parts.length !== 2) throw new CannotApply(`the text to replace occurs ${parts.length - 1} times in ${file}`);
  writeFileSync(path, parts.join(replace));
  return () => writeFileSync(path, original);
}
