import { ModuleMocker } from 'jest-mock';

interface EnvironmentConfiguration {
  projectConfig: { testEnvironmentOptions: { customExportConditions?: string[] } };
}

/**
 * The globals of a suite: those of the process, so that the suite, Node and dependencies have the same `Error` and `Array`. What a suite
 * changes of them and of `process.env` is undone at its end. There are no fake timers. Jest requires a default export.
 */
export default class SharedDependenciesEnvironment {
  readonly global = globalThis;
  readonly moduleMocker = new ModuleMocker(globalThis);
  private readonly conditions: string[];
  private readonly globals: Record<PropertyKey, PropertyDescriptor> = Object.getOwnPropertyDescriptors(globalThis);
  private readonly variables = { ...process.env };
  /** Jest replaces these for each suite. */
  private readonly functions = { exit: process.exit, getBuiltinModule: process.getBuiltinModule };

  constructor({ projectConfig }: EnvironmentConfiguration) {
    this.conditions = projectConfig.testEnvironmentOptions.customExportConditions ?? [];
  }

  /** Keeps the globals that a dependency adds while it loads, because it will not be loaded again for the next suite. */
  keepGlobals<Exports>(load: () => Exports): Exports {
    const before = new Set(Reflect.ownKeys(globalThis));
    const loaded = load();
    for (const key of Reflect.ownKeys(globalThis)) {
      const added = before.has(key) ? undefined : Reflect.getOwnPropertyDescriptor(globalThis, key);
      if (added !== undefined) this.globals[key] = added;
    }
    return loaded;
  }

  async setup(): Promise<void> {}

  async teardown(): Promise<void> {
    for (const key of Reflect.ownKeys(globalThis)) {
      const before = this.globals[key];
      if (before === undefined) Reflect.deleteProperty(globalThis, key);
      else Reflect.defineProperty(globalThis, key, before);
    }
    for (const name of Object.keys(process.env)) {
      if (!(name in this.variables)) Reflect.deleteProperty(process.env, name);
    }
    Object.assign(process.env, this.variables);
    Object.assign(process, this.functions);
  }

  exportConditions(): string[] {
    return this.conditions;
  }

  /** Jest requires it; the runtime runs modules in the context of the process. */
  getVmContext(): null {
    return null;
  }
}
