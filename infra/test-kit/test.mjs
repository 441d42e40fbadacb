import { install } from '../local/install.mjs';

await install();
const { runTypeScript } = await import('../local/run-typescript.mjs');
await runTypeScript('../test-kit/src/commands/run-tests.ts');
