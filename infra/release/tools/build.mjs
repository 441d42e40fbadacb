// Builds packages for those who install them, without what only the workspace has. Usage: build.mjs FOLDER…
// Each `source` of the `exports` in FOLDER/package.json becomes an ES module and a CommonJS module with types in FOLDER/dist. An entry
// `./dist/<name>.global.js` becomes a script from src/<name>.ts, whose exports are in the global `MultiDrm`.
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build } from 'tsup';

for (const folder of process.argv.slice(2)) {
  const { exports, dependencies = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const entries = Object.values(exports);
  const modules = entries.flatMap(({ source }) => source ?? []);
  const scripts = entries.filter((entry) => typeof entry === 'string').map((file) => basename(file, '.global.js'));
  const options = {
    outDir: join(folder, 'dist'),
    external: Object.keys(dependencies),
    config: false,
    silent: true,
    platform: 'neutral',
    target: 'es2022',
    tsconfig: join(import.meta.dirname, 'tsconfig.json'),
  };
  await build({
    ...options,
    entry: Object.fromEntries(modules.map((source) => [basename(source, '.ts'), join(folder, source)])),
    clean: true,
    format: ['esm', 'cjs'],
    dts: true,
  });
  for (const name of scripts) {
    const entry = { [name]: join(folder, 'src', `${name}.ts`) };
    await build({ ...options, entry, format: 'iife', globalName: 'MultiDrm', minify: true });
  }
}
