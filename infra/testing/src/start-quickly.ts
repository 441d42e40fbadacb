import { setFlagsFromString } from 'node:v8';
import { withoutOptimizedWebAssembly } from './from-source';

// Jest runs this before each suite, because each suite loads Prisma's query compiler again.
for (const flag of withoutOptimizedWebAssembly) setFlagsFromString(flag);
