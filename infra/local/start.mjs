import { readArguments } from './arguments.mjs';
import { install } from './install.mjs';

readArguments(
  'usage: npm start\nInstalls, builds and starts everything on this machine until Ctrl-C. Settings: see README.md.',
);
await install('start');
const { runTypeScript } = await import('./run-typescript.mjs');
await runTypeScript('./src/start.ts');
