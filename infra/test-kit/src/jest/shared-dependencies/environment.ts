import * as asyncHooks from 'node:async_hooks';
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
  private readonly storages: asyncHooks.AsyncLocalStorage<unknown>[] = [];

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

  /**
   * `node:async_hooks` for modules that run again for each suite, such as jest-circus, which has two storages. Node keeps every storage that was
   * ever used, and looks into all of them for each new promise, so those of a suite are disabled at its end.
   */
  asyncHooks(): typeof asyncHooks {
    const { storages } = this;
    class AsyncLocalStorage<Store> extends asyncHooks.AsyncLocalStorage<Store> {
      constructor() {
        super();
        storages.push(this as asyncHooks.AsyncLocalStorage<unknown>);
      }
    }
    return { ...asyncHooks, AsyncLocalStorage };
  }

  async setup(): Promise<void> {}

  async teardown(): Promise<void> {
    for (const storage of this.storages) storage.disable();
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
