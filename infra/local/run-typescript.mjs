// Runs TypeScript from plain JavaScript in the same process, so that signals and the parent process stay the same.
import { require as requireTypeScript } from 'tsx/cjs/api';

/** Calls `main` of a TypeScript module and ends the process with the exit code that it resolves to. */
export async function runTypeScript(path) {
  const { main } = requireTypeScript(path, import.meta.url);
  process.exit(await main());
}
