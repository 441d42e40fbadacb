import { readArguments } from '../local/arguments.mjs';
import { install } from '../local/install.mjs';

readArguments(
  'usage: npm run fuzz [-- <minutes>]\nSends generated requests to every operation of both services; for 10 minutes unless you say otherwise.',
  1,
);
await install();
const { runTypeScript } = await import('../local/run-typescript.mjs');
await runTypeScript('../test-kit/src/commands/run-fuzzing.ts');
