const { createRequire } = require('node:module');
const { sep } = require('node:path');
const { compileFunction } = require('node:vm');
const { default: Runtime } = require('jest-runtime');

const dependencies = `${sep}node_modules${sep}`;
/** The exports of dependencies by path. */
const loaded = new Map();
/** The compiled modules of the workspace by path. */
const compiled = new Map();

/**
 * How jest loads what a suite imports. Node itself loads dependencies, once for all suites of the process, as loading Express, Prisma and
 * the others takes longer than most suites. Modules of the workspace are run anew for each suite; only their compiled code is shared.
 */
module.exports = class SharedDependenciesRuntime extends Runtime {
  constructor(...options) {
    super(...options);
    // Instead of in a context of the suite's own, because dependencies are loaded in that of the process.
    this.executor.compile = (source, filename) => {
      const known = compiled.get(filename);
      if (known?.source === source) return known.run;
      const run = compileFunction(source, this.executor.injectedModuleParameters, { filename });
      compiled.set(filename, { source, run });
      return run;
    };
  }

  requireModule(from, name, options, isRequireActual) {
    if (!options?.isInternalModule && !this._resolution.isCoreModule(name ?? from)) {
      const path = this._resolution.resolveCjs(from, name);
      if (path.includes(dependencies)) return this.requireDependency(path);
    }
    if (name === 'node:async_hooks') return this._environment.asyncHooks();
    return super.requireModule(from, name, options, isRequireActual);
  }

  requireDependency(path) {
    // As if required by the dependency itself, because Node warns of a CommonJS module that requires an ES module.
    if (!loaded.has(path))
      loaded.set(
        path,
        this._environment.keepGlobals(() => createRequire(path)(path)),
      );
    return loaded.get(path);
  }
};
