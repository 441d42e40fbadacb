import { type Import, tests } from './imports';

/**
 * Returns the imports of files that import themselves by way of others, together with what lies between two such
 * circles.
 */
export function circularImports(imports: Import[]): Import[] {
  let left = imports.map(({ file, imported }) => ({ file: moduleOf(file), imported: moduleOf(imported) }));
  for (;;) {
    // A file that imports nothing, or that nothing imports, is in no circle.
    const importing = new Set(left.map(({ file }) => file));
    const imported = new Set(left.map((one) => one.imported));
    const rest = left.filter((one) => importing.has(one.imported) && imported.has(one.file));
    if (rest.length === left.length) return rest;
    left = rest;
  }
}

/** A file as it is named in imports. */
const moduleOf = (path: string): string => path.replace(/\.(ts|mjs)$/, '').replace(/\/index$/, '');

/** The imports between the folders of services, where each feature is a folder. Tests may import everything. */
export function importsOfFolders(imports: Import[]): Import[] {
  return imports.flatMap(({ file, imported }) => {
    const [from, to] = [folderOf(file), folderOf(imported)];
    return tests.test(file) || from === undefined || to === undefined || from === to
      ? []
      : [{ file: from, imported: to }];
  });
}

const folderOf = (path: string): string | undefined =>
  /^services\/[^/]+\/src\/(features\/[^/]+|[^/]+)(?=\/)/.exec(path)?.[0];
