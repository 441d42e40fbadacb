import { join } from 'node:path';

/** Arguments with which Node runs a TypeScript program of the workspace, with what is loaded before it. */
export function fromSource(program: string, ...before: string[]): string[] {
  const loaded = [join(__dirname, 'compile-source.cjs'), ...before];
  return ['--conditions=source', ...loaded.map((file) => `--require=${file}`), program];
}
