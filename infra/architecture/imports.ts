import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** An import of a file: `imported` is a path from the repository's root or a package name. */
export interface Import {
  file: string;
  imported: string;
}

/** Suites, and what only they use. */
export const tests = /\.test\.ts$|\/testing\//;

const specifiers = /(?:\bfrom\s+|\bimport\s*\(\s*|\bimport\s+|\brequire\s*\(\s*)['"]([^'"\n]+)['"]/g;
const skipped = new Set(['node_modules', 'dist', 'generated', '.turbo', '.local']);

/** Returns the path of every TypeScript, JavaScript and Lua source in a folder, without generated code. */
export function sourceFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return skipped.has(entry.name) ? [] : sourceFiles(path);
    return /\.(ts|mjs|lua)$/.test(entry.name) ? [path] : [];
  });
}

/** Returns every import in the sources in these folders of the repository. */
export function importsOf(root: string, folders: string[]): Import[] {
  return folders
    .flatMap((folder) => sourceFiles(join(root, folder)))
    .flatMap((path) =>
      [...readFileSync(path, 'utf8').matchAll(specifiers)].map(([, specifier = '']) => ({
        file: relative(root, path),
        imported: specifier.startsWith('.') ? relative(root, join(dirname(path), specifier)) : specifier,
      })),
    );
}
