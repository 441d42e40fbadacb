import { setFlagsFromString } from 'node:v8';
import { withoutOptimizedWebAssembly } from '../services/from-source';

// Jest runs this before each suite, so that it is done before the first that loads Prisma's query compiler.
for (const flag of withoutOptimizedWebAssembly) setFlagsFromString(flag);
