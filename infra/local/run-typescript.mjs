// The bridge from plain JavaScript to TypeScript, in the same process so that signals and the parent process stay what they are.
import { require as requireTypeScript } from 'tsx/cjs/api';

/** Calls `main` of a TypeScript module; the process ends with the exit code that it resolves to. */
export async function runTypeScript(path) {
  const { main } = requireTypeScript(path, import.meta.url);
  process.exit(await main());
}
