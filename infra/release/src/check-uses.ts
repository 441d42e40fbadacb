import { copyFileSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, join, parse } from 'node:path';
import { tryRun } from '@multi-drm/local/tools';
import type { Tarball } from './pack';
import { tool } from './tools';

/** One file for each package, with what a customer would write. */
const usesFolder = join(__dirname, '../uses');

const strict = { strict: true, noEmit: true, target: 'es2022', lib: ['es2023', 'dom', 'dom.iterable'], types: [] };

/** How customers compile: the extension of their files, and their compiler options. */
const projects = [
  { extension: '.mts', options: { module: 'nodenext' } },
  { extension: '.cts', options: { module: 'nodenext' } },
  { extension: '.ts', options: { module: 'esnext', moduleResolution: 'bundler' } },
];

/** Compiles a use of each package under `strict` in a folder where they are installed, and loads them; returns what went wrong. */
export function checkUses(folder: string, tarballs: Tarball[]): string[] {
  return [
    ...missingUses(tarballs),
    ...projects.flatMap((project) => compileUses(folder, project)),
    ...loadEntries(folder, tarballs),
  ];
}

function missingUses(tarballs: Tarball[]): string[] {
  const uses = readdirSync(usesFolder).map((file) => parse(file).name);
  return tarballs
    .filter(({ folder }) => !uses.includes(basename(folder)))
    .map(({ name }) => `${name} has no use in ${usesFolder}`);
}

function compileUses(folder: string, { extension, options }: (typeof projects)[number]): string[] {
  const files = readdirSync(usesFolder).map((file) => {
    const copy = `${parse(file).name}${extension}`;
    copyFileSync(join(usesFolder, file), join(folder, copy));
    return copy;
  });
  const configuration = join(folder, `tsconfig${extension}.json`);
  writeFileSync(configuration, JSON.stringify({ compilerOptions: { ...strict, ...options }, files }));
  const { succeeded, output } = tryRun(tool('tsc', '-p', configuration), folder);
  return succeeded ? [] : [`${extension} with ${JSON.stringify(options)}:\n${output}`];
}

/** Loads every entry by `import` and by `require`, which must have the same exports. */
function loadEntries(folder: string, tarballs: Tarball[]): string[] {
  const entries = tarballs.flatMap((tarball) => tarball.entries);
  const program = `
    import { createRequire } from 'node:module';
    const namesIn = (module) => Object.keys(module).filter((name) => !['default', 'module.exports'].includes(name)).sort().join();
    for (const entry of ${JSON.stringify(entries)}) {
      const [imported, required] = [namesIn(await import(entry)), namesIn(createRequire(import.meta.url)(entry))];
      if (imported === '' || imported !== required) throw new Error(\`\${entry} has \${imported}, or with require \${required}\`);
    }`;
  writeFileSync(join(folder, 'load.mjs'), program);
  const { succeeded, output } = tryRun([process.execPath, 'load.mjs'], folder);
  return succeeded ? [] : [output];
}
