import { AsyncLocalStorage } from 'node:async_hooks';
import { readFileSync } from 'node:fs';
import { DatabaseError } from 'pg';
import Environment from './environment';

const newEnvironment = () => new Environment({ projectConfig: { testEnvironmentOptions: {} } });
const globals = globalThis as Record<string, unknown>;

test('what a suite changes of the globals and of the environment variables is undone at its end', async () => {
  const { fetch } = globalThis;
  process.env.CHANGED = 'before';
  const environment = newEnvironment();
  Object.assign(globalThis, { fetch: () => undefined, added: true });
  Object.assign(process.env, { CHANGED: 'by the suite', ADDED: 'by the suite' });
  await environment.teardown();
  expect(globals.added).toBeUndefined();
  expect(globalThis.fetch).toBe(fetch);
  expect(process.env).toMatchObject({ CHANGED: 'before' });
  expect(process.env).not.toHaveProperty('ADDED');
});

test('globals that a dependency adds while it loads are kept for the next suite', async () => {
  const environment = newEnvironment();
  expect(environment.keepGlobals(() => Object.assign(globalThis, { dependencyGlobal: 1 }) && 'exports')).toBe(
    'exports',
  );
  await environment.teardown();
  expect(globals.dependencyGlobal).toBe(1);
});

test('errors of Node and of dependencies are instances of the Error of the suite', () => {
  let failure: unknown;
  try {
    readFileSync('/no/such/file');
  } catch (error) {
    failure = error;
  }
  expect(failure).toBeInstanceOf(Error);
  expect(new DatabaseError('a failure', 0, 'error')).toBeInstanceOf(Error);
});

test('storages of async context that a suite and jest create for it end with the suite', async () => {
  const environment = newEnvironment();
  const hooks = environment.asyncHooks();
  const storage = new hooks.AsyncLocalStorage<string>();
  await storage.run('of the suite', async () => {
    expect(storage.getStore()).toBe('of the suite');
    await environment.teardown();
    expect(storage.getStore()).toBeUndefined();
  });
  // What this suite imports is such a class too: Node's is its parent.
  expect(Object.getPrototypeOf(AsyncLocalStorage)).toHaveProperty('name', 'AsyncLocalStorage');
});

test('a module of the workspace runs again with new registries of modules, and a dependency does not', () => {
  jest.isolateModules(() => {
    expect(require('./environment').default).not.toBe(Environment);
    expect(require('pg').DatabaseError).toBe(DatabaseError);
  });
});
