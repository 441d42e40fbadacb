import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { run } from '@multi-drm/local/tools';
import type { PublicPackage } from './public-packages';
import { publishedManifest } from './published-manifest';
import { script, toolsFolder } from './tools';

/** Where the tarballs are. */
export const tarballFolder = join(__dirname, '../dist');

export interface Tarball {
  name: string;
  /** The file, as `npm publish` takes it. */
  path: string;
  /** What is in it. */
  folder: string;
  /** The modules that customers import, such as `@multi-drm/client/webhooks`. */
  entries: string[];
  /** The paths of scripts, which have no types, such as `./script-tag`. */
  scripts: string[];
}

/** Builds the packages and packs each, with the `package.json` that customers get. */
export function pack(packages: PublicPackage[]): Tarball[] {
  run(script('build.mjs', ...packages.map(({ folder }) => folder)), toolsFolder);
  rmSync(tarballFolder, { recursive: true, force: true });
  return packages.map(({ name, folder, manifest }) => {
    const contents = join(tarballFolder, basename(folder));
    mkdirSync(contents, { recursive: true });
    cpSync(join(folder, 'dist'), join(contents, 'dist'), { recursive: true });
    cpSync(join(folder, 'README.md'), join(contents, 'README.md'));
    writeFileSync(join(contents, 'package.json'), `${JSON.stringify(publishedManifest(manifest), null, 2)}\n`);
    const [{ filename }] = JSON.parse(run(['npm', 'pack', contents, '--json'], tarballFolder)) as [
      { filename: string },
    ];
    const paths = Object.keys(manifest.exports);
    const scripts = paths.filter((path) => typeof manifest.exports[path] === 'string');
    const entries = paths.filter((path) => !scripts.includes(path)).map((path) => `${name}${path.slice(1)}`);
    return { name, path: join(tarballFolder, filename), folder: contents, entries, scripts };
  });
}
