import { setFlagsFromString } from 'node:v8';
import { withoutOptimizedWebAssembly } from './from-source';

// Jest runs this before each suite, which loads Prisma's query compiler anew.
for (const flag of withoutOptimizedWebAssembly) setFlagsFromString(flag);
