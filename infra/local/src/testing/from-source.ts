import { join } from 'node:path';

/**
 * Options of Node for what runs for seconds. Prisma's query compiler is WebAssembly, which V8 would compile a second time,
 * to optimized code, in threads that take the processor from everything else.
 */
export const withoutOptimizedWebAssembly = ['--liftoff-only', '--no-wasm-tier-up', '--no-wasm-dynamic-tiering'];

/** Arguments with which Node runs a TypeScript program of the workspace, with what is loaded before it. */
export function fromSource(program: string, ...before: string[]): string[] {
  const loaded = [join(__dirname, 'compile-source.cjs'), ...before];
  return [...withoutOptimizedWebAssembly, '--conditions=source', ...loaded.map((file) => `--require=${file}`), program];
}
