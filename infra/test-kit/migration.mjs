import { readArguments } from '../local/arguments.mjs';
import { install } from '../local/install.mjs';

readArguments(
  'usage: npm run migration -- <name>\nWrites a migration with what the Prisma schema has and the migrations lack.',
  1,
);
await install();
const { runTypeScript } = await import('../local/run-typescript.mjs');
await runTypeScript('../test-kit/src/commands/run-migration.ts');
