/** What is shipped: neither suites nor what only they use. */
const shipped = /\/(?:packages|services)\/[^/]+\/src\/(?!.*(?:testing\/|\.test\.ts$))/;

/** The modules of the product that ran, which all suites of the process share. */
module.exports = class ProductModules {
  modules = new Map();

  has(path) {
    return shipped.test(path);
  }

  /** Puts the module into the registry of the suite, if it ran for an earlier suite, before the suite loads it. */
  load(path, registry, load) {
    if (this.modules.has(path)) registry.set(path, this.modules.get(path));
    const exports = load();
    const module = registry.get(path);
    // Otherwise it is still running, and one of the modules that it requires requires it.
    if (module.loaded) this.modules.set(path, module);
    return exports;
  }
};
