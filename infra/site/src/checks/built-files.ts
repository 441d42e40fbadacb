import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** The text of the files of a built site whose names end so, by their paths in the site. */
export function builtFiles(site: string, extension: '.html' | '.css'): Map<string, string> {
  const files = readdirSync(site, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(extension))
    .map((entry) => join(entry.parentPath, entry.name));
  return new Map(files.map((file) => [relative(site, file), readFileSync(file, 'utf8')]));
}
