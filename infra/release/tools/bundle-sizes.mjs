// Prints how many bytes each module is as a browser gets it: bundled with what it imports, minified, compressed. One line for each.
// Usage: bundle-sizes.mjs FOLDER CODE…   FOLDER: where the packages that the code imports are installed
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const [folder, ...modules] = process.argv.slice(2);
for (const contents of modules) {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: folder },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
  });
  console.log(gzipSync(outputFiles[0].contents, { level: 9 }).length);
}
