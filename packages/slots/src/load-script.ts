import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Returns the text of a Lua script. A line `--#include <name>` is replaced by `parts/<name>.lua`, which may include others; a part that
 * is already in the script is not repeated. Throws an error for a part that does not exist or that includes itself.
 */
export function loadScript(folder: string, name: string): string {
  const included = new Set<string>();
  const read = (file: string, includedBy: string[]): string =>
    readFileSync(join(folder, file), 'utf8').replace(/^--#include (.+)$\n?/gm, (_, part: string) => {
      if (includedBy.includes(part)) throw new Error(`the part "${part}" of the script "${name}" includes itself`);
      if (included.has(part)) return '';
      included.add(part);
      return read(join('parts', `${part}.lua`), [...includedBy, part]);
    });
  return read(`${name}.lua`, []);
}
