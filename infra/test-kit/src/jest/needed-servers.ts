import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { repositoryFolder } from '@multi-drm/local/repository';

export interface NeededServers {
  postgres: boolean;
  /** Includes the cluster. */
  redis: boolean;
}

const none = { postgres: false, redis: false };
const redisOnly = { postgres: false, redis: true };
export const allServers: NeededServers = { postgres: true, redis: true };

/** Folders whose suites do not need all servers. */
export const modestFolders: [string, NeededServers][] = [
  ['packages/client/', none],
  ['packages/contracts/', none],
  ['packages/license-backends/', none],
  ['packages/policy/', none],
  ['infra/architecture/', none],
  ['infra/mutants/', none],
  ['infra/release/', none],
  ['infra/test-kit/src/secrets/', none],
  ['infra/test-kit/src/jest/shared-dependencies/', none],
  ['packages/service-kit/', redisOnly],
  ['packages/slots/', redisOnly],
  ['services/playback/', redisOnly],
];

/** Returns the servers that suites need; paths are relative to the repository. */
export function neededServers(suites: readonly string[]): NeededServers {
  const needs = suites.map((suite) => modestFolders.find(([folder]) => suite.startsWith(folder))?.[1] ?? allServers);
  return { postgres: needs.some(({ postgres }) => postgres), redis: needs.some(({ redis }) => redis) };
}

/** Returns every suite in the folders; paths are relative to the repository. */
export function findSuites(roots: readonly string[]): string[] {
  return roots.flatMap((folder) =>
    readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return entry.name === 'node_modules' || entry.name === 'dist' ? [] : findSuites([path]);
      return entry.name.endsWith('.test.ts') ? [relative(repositoryFolder, path)] : [];
    }),
  );
}
