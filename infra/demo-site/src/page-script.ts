import { join } from 'node:path';
import { build } from 'esbuild';

/** The folder of what browsers load. */
export const pageFolder = join(__dirname, '../page');

/** Returns the page's module with all that it imports: its own files, and the package for players from source. */
export async function bundlePage(): Promise<Uint8Array> {
  const { outputFiles } = await build({
    entryPoints: [join(pageFolder, 'page.mjs')],
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    conditions: ['source'],
  });
  const [script] = outputFiles;
  if (script === undefined) throw new Error('esbuild returned no script');
  return script.contents;
}
