import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '@multi-drm/local/tools';
import type { Tarball } from './pack';

/** Installs the tarballs in an empty project outside the workspace, as customers do, and calls `use` with its folder. */
export function inEmptyProject<Result>(tarballs: Tarball[], use: (folder: string) => Result): Result {
  const folder = mkdtempSync(join(tmpdir(), 'packages-'));
  try {
    writeFileSync(join(folder, 'package.json'), '{}');
    const options = ['--no-audit', '--no-fund', '--no-package-lock', '--prefer-offline'];
    run(['npm', 'install', ...tarballs.map(({ path }) => path), ...options], folder);
    return use(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
