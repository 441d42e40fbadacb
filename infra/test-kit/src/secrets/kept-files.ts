import { appendFileSync, mkdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { repositoryFolder } from '@multi-drm/local/repository';
import type { Secret } from './secret-kinds';

/** The folders inside TEST_FOLDER with what a test run keeps. */
export const keptFolders = ['secrets', 'logs', 'problems', 'databases'] as const;
export type KeptFolder = (typeof keptFolders)[number];

/** Shorter values would match by chance. */
export const shortestSecret = 12;

const remembered = new Set<string>();
const made = new Set<string>();

/** Adds secrets to those that the logs and dumps of this run are searched for. */
export function rememberSecrets(secrets: readonly Secret[]): void {
  for (const { kind, value } of secrets) {
    if (value.length < shortestSecret || remembered.has(value)) continue;
    remembered.add(value);
    keep('secrets', String(process.pid), `${JSON.stringify({ kind, value })}\n`);
  }
}

/** Appends to a file of this run, readable only by its owner. Does nothing outside of a test run. */
export function keep(folder: KeptFolder, name: string, text: string | Uint8Array): void {
  const run = process.env.TEST_FOLDER;
  if (!run) return;
  const path = join(run, folder);
  if (!made.has(path)) mkdirSync(path, { recursive: true, mode: 0o700 });
  made.add(path);
  appendFileSync(join(path, name.replaceAll(/[^\w.-]/g, '+')), text, { mode: 0o600 });
}

/** Returns the path of the suite or program that runs in this process. */
export function currentName(): string {
  const { expect: jest } = globalThis as { expect?: { getState?(): { testPath?: string } } };
  const path = jest?.getState?.().testPath ?? process.argv[1] ?? 'test run';
  return relative(repositoryFolder, path);
}
