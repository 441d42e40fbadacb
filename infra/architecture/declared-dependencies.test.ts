import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { importsOf, sourceFiles, tests } from './imports';

const root = join(__dirname, '../..');

interface Manifest {
  scripts?: Record<string, string>;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}
const manifestOf = (folder: string): Manifest => JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));

const packages = ['infra', 'packages', 'services'].flatMap((parent) =>
  readdirSync(join(root, parent))
    .map((name) => `${parent}/${name}`)
    .filter((folder) => existsSync(join(root, folder, 'package.json'))),
);
/** What `npm start` builds and runs, for which it installs only `dependencies`. */
const started = packages.filter((folder) =>
  /^(?:packages|services)\/|^infra\/(?:codegen|demo-site|local)$/.test(folder),
);

const packageOf = (specifier: string) => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier;

test.each(started)('%s imports, apart from its tests, only what npm start installs', (folder) => {
  const installed = { ...manifestOf('.').dependencies, ...manifestOf(folder).dependencies };
  const imported = importsOf(root, [folder])
    .filter(({ file }) => !tests.test(file) && !file.startsWith(`${folder}/scripts/`))
    .map(({ imported: specifier }) => specifier)
    .filter((specifier) => !specifier.startsWith('node:') && !specifier.startsWith(`${folder}/`))
    .map(packageOf);
  expect([...new Set(imported)].filter((name) => !(name in installed))).toEqual([]);
});

/** Imported by what Prisma generates, run by a script under another name, and needed by generators of clients. */
const usedOtherwise = ['@prisma/client', '@redocly/cli', 'typescript'];

test.each(packages)('%s declares no package that it does not use', (folder) => {
  const { scripts, dependencies, devDependencies } = manifestOf(folder);
  const sources = sourceFiles(join(root, folder)).map((file) => readFileSync(file, 'utf8'));
  const text = [...sources, ...Object.values(scripts ?? {})].join('\n');
  const unused = Object.keys({ ...dependencies, ...devDependencies }).filter(
    (name) => !usedOtherwise.includes(name) && !new RegExp(`['" ]${name}(?:['"/]|$)`, 'm').test(text),
  );
  expect(unused).toEqual([]);
});
