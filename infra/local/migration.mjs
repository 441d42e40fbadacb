import { install } from './install.mjs';

await install();
const { runTypeScript } = await import('./run-typescript.mjs');
await runTypeScript('./src/run-migration.ts');
