import { Problem } from '@multi-drm/contracts';
import ProductModules from './product-modules.cjs';

interface Module {
  loaded: boolean;
  exports: object;
}

/** A suite with a registry of its own, which runs the modules that it does not find there. */
function newSuite(product: ProductModules) {
  const registry = new Map<string, Module>();
  const ran: string[] = [];
  const require = (path: string, required: string[] = []): object =>
    product.load(path, registry, () => {
      const known = registry.get(path);
      if (known !== undefined) return known.exports;
      const module = { loaded: false, exports: {} };
      registry.set(path, module);
      ran.push(path);
      for (const other of required) require(other);
      module.loaded = true;
      return module.exports;
    });
  return { require, ran };
}

test('a module of the product runs once for all suites', () => {
  const product = new ProductModules();
  const [first, second] = [newSuite(product), newSuite(product)];
  const exports = first.require('/a', ['/b', '/a']);
  expect(second.require('/a')).toBe(exports);
  expect(second.require('/b')).toBe(first.require('/b'));
  expect([first.ran, second.ran]).toEqual([['/a', '/b'], []]);
});

test.each([
  ['/services/playback/src/app.ts', true],
  ['/packages/contracts/src/generated/playback.json', true],
  ['/services/playback/src/app.test.ts', false],
  ['/services/playback/src/testing/playback.ts', false],
  ['/packages/license-backends/src/backends/testing/index.ts', false],
  ['/infra/local/src/ports.ts', false],
])('of the workspace, only what is shipped is shared: %s', (path, isShared) => {
  expect(new ProductModules().has(`/folder${path}`)).toBe(isShared);
});

test('a suite still gets modules of the product of its own, if it asks for them', () => {
  const problem = (): unknown => require('@multi-drm/contracts').Problem;
  expect(problem()).toBe(Problem);
  jest.isolateModules(() => expect(problem()).not.toBe(Problem));
  expect(problem()).toBe(Problem);
  jest.resetModules();
  expect(problem()).not.toBe(Problem);
});
