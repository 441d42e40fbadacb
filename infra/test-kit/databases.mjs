import { readArguments } from '../local/arguments.mjs';
import { install } from '../local/install.mjs';

readArguments(
  'usage: npm run databases [-- <kind>…]\nRuns the suites of the control plane on databases as other hosts set them up: all kinds, or these.',
  Number.POSITIVE_INFINITY,
);
await install();
const { runTypeScript } = await import('../local/run-typescript.mjs');
await runTypeScript('../test-kit/src/commands/run-databases.ts');
