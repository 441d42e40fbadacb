import { parse } from 'node:path';

/** The members of a public package's `package.json` in the workspace, where everything runs from source, that a release reads. */
export interface Manifest {
  name: string;
  private?: boolean;
  /** By path: the source of a module, or a built file that is a script. */
  exports: Record<string, { source: string } | string>;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  scripts?: Record<string, string>;
  [member: string]: unknown;
}

/**
 * Returns the `package.json` that customers get: with the built files instead of the sources, and without what only the workspace uses.
 * Throws if customers could not install a dependency.
 */
export function publishedManifest({
  devDependencies,
  scripts,
  exports,
  ...manifest
}: Manifest): Record<string, unknown> {
  for (const [dependency, version] of Object.entries(manifest.dependencies ?? {})) {
    if (!/^[\^~]?\d/.test(version)) {
      throw new Error(`${manifest.name} depends on ${dependency} ${version}, which only the workspace understands`);
    }
  }
  const entries = Object.entries(exports).map(([path, entry]) => [
    path,
    typeof entry === 'string' ? entry : builtEntry(parse(entry.source).name),
  ]);
  return {
    ...manifest,
    files: ['dist'],
    main: './dist/index.js',
    types: './dist/index.d.ts',
    exports: Object.fromEntries(entries),
  };
}

/** Each module system with the types of its own, because the compiler treats one type file as of one module system. */
function builtEntry(name: string) {
  return {
    import: { types: `./dist/${name}.d.mts`, default: `./dist/${name}.mjs` },
    require: { types: `./dist/${name}.d.ts`, default: `./dist/${name}.js` },
  };
}
