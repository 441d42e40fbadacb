interface RegisteredModule {
  /** False while it runs. */
  loaded: boolean;
  exports: object;
}

declare class ProductModules {
  has(path: string): boolean;
  load<Exports>(path: string, registry: Map<string, RegisteredModule>, load: () => Exports): Exports;
}

export = ProductModules;
