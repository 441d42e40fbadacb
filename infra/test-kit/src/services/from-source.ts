import { join } from 'node:path';

/**
 * Node options for programs that run only for seconds. Prisma's query compiler is WebAssembly, which V8 would otherwise compile
 * a second time with optimizations, in threads that compete for the processor.
 */
export const withoutOptimizedWebAssembly = ['--liftoff-only', '--no-wasm-tier-up', '--no-wasm-dynamic-tiering'];

/** Returns Node's arguments to run a TypeScript program of the workspace, after loading the modules in `before`. */
export function fromSource(program: string, ...before: string[]): string[] {
  const loaded = [join(__dirname, 'compile-source.cjs'), ...before];
  return [...withoutOptimizedWebAssembly, '--conditions=source', ...loaded.map((file) => `--require=${file}`), program];
}

/** Node's arguments to run everything that `npm start` runs, from source. */
export const productFromSource = (): string[] => fromSource(join(__dirname, 'run-from-source.ts'));
