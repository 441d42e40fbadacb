import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryFolder } from '@multi-drm/local/repository';
import type { Manifest } from './published-manifest';

/** A package that customers install. */
export interface PublicPackage {
  /** Its name in the registry. */
  name: string;
  folder: string;
  manifest: Manifest;
}

/** Lists the packages that are published: those in `packages/` that are not private. */
export function publicPackages(): PublicPackage[] {
  const parent = join(repositoryFolder, 'packages');
  return readdirSync(parent)
    .map((name) => join(parent, name))
    .map((folder) => ({ folder, manifest: readManifest(folder) }))
    .filter(({ manifest }) => manifest.private !== true)
    .map(({ folder, manifest }) => ({ name: manifest.name, folder, manifest }));
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
}
