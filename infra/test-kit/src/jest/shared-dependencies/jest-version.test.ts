import { devDependencies } from '../../../../../package.json';

/** The version of jest that this folder was read against. */
const readFor = '30.5.2';

/** What this folder uses of jest that is not public. Compare it with the new version and run every suite, then change `readFor`. */
const toCompare = `
jest-runtime, for runtime.cjs:
  - the class Runtime: requireModule, setMock, resetModules, _environment, _resolution.isCoreModule, _resolution.resolveCjs
  - transformCache.sourceMaps, executor.compile, executor.injectedModuleParameters
  - registries.isIsolated, registries.getActiveCjsRegistry, and that a module there has \`loaded\` and \`exports\`
jest-runner and jest-circus, for environment.ts:
  - which members of the environment they use, and which globals and functions of \`process\` they replace
  - that jest-circus requires node:async_hooks for its storages
@jest/test-sequencer, for longest-first.cjs:
  - sort`;

test.each(['jest', 'jest-mock', 'jest-runtime', '@jest/test-sequencer'] as const)(
  '%s has the version that this folder was read against',
  (name) => {
    const version = devDependencies[name];
    if (version !== readFor) throw new Error(`${name} is ${version}, and was read in ${readFor}. Compare:${toCompare}`);
  },
);
