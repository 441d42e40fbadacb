import { readArguments } from '../local/arguments.mjs';
import { install } from '../local/install.mjs';

readArguments(
  'usage: npm run check\nChecks types, lint, format, regular expressions, OpenAPI documents, migrations and dependency arrows.',
);
await install();
const { runTypeScript } = await import('../local/run-typescript.mjs');
await runTypeScript('../test-kit/src/commands/run-checks.ts');
