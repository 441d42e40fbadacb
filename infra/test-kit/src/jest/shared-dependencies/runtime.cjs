const { createRequire } = require('node:module');
const { sep } = require('node:path');
const { compileFunction } = require('node:vm');
const { default: Runtime } = require('jest-runtime');
const ProductModules = require('./product-modules.cjs');

const dependencies = `${sep}node_modules${sep}`;
/** The exports of dependencies by path. */
const loaded = new Map();
/** The compiled modules of the workspace by path. */
const compiled = new Map();
/** The files with the source maps of modules of the workspace by path. */
const sourceMaps = new Map();
const product = new ProductModules();

/**
 * How jest loads what a suite imports. Node itself loads dependencies, once for all suites of the process, as loading Express, Prisma and
 * the others takes longer than most suites. Modules of the product also run once, and suites share the validators that these compile.
 * Suites and the modules that only they use are run anew for each suite; only their compiled code is shared.
 */
module.exports = class SharedDependenciesRuntime extends Runtime {
  constructor(...options) {
    super(...options);
    /** False once the suite asks for modules of its own. */
    this.sharesProduct = true;
    // A suite does not transform what it shares, but its stack traces need the map.
    this.transformCache.sourceMaps = sourceMaps;
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
    const load = () => super.requireModule(from, name, options, isRequireActual);
    // The product's storages serve later suites too.
    if (name === 'node:async_hooks' && !product.has(from)) return this._environment.asyncHooks();
    if (options?.isInternalModule || this._resolution.isCoreModule(name ?? from)) return load();
    const path = this._resolution.resolveCjs(from, name);
    if (path.includes(dependencies)) return this.requireDependency(path);
    if (!this.sharesProduct || this.registries.isIsolated() || !product.has(path)) return load();
    return product.load(path, this.registries.getActiveCjsRegistry(), load);
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

  setMock(...mock) {
    this.sharesProduct = false;
    super.setMock(...mock);
  }

  resetModules() {
    this.sharesProduct = false;
    super.resetModules();
  }
};
