import { join } from 'node:path';
import { circularImports, importsOfFolders } from './circles';
import { importsOf } from './imports';

const imports = importsOf(join(__dirname, '../..'), ['packages', 'services', 'infra']);

test('no file imports itself by way of others', () => {
  expect(circularImports(imports)).toEqual([]);
});

test('no folder of a service imports itself by way of others, and no feature', () => {
  const folders = importsOfFolders(imports);
  expect(folders).toContainEqual({
    file: 'services/control-plane/src/records',
    imported: 'services/control-plane/src/stores',
  });
  expect(circularImports(folders)).toEqual([]);
});

test('a circle is found with its files alone', () => {
  const circle = [
    { file: 'a/b.ts', imported: 'a/c' },
    { file: 'a/c.mjs', imported: 'a/d' },
    { file: 'a/d/index.ts', imported: 'a/b' },
  ];
  const found = circularImports([
    { file: 'a/before.ts', imported: 'a/b' },
    ...circle,
    { file: 'a/c.mjs', imported: 'a/after' },
    { file: 'a/c.mjs', imported: 'express' },
  ]);
  expect(found.map(({ file, imported }) => `${file} ${imported}`)).toEqual(['a/b a/c', 'a/c a/d', 'a/d a/b']);
});

test('folders are a circle also where no file is', () => {
  const folders = importsOfFolders([
    { file: 'services/a/src/access/b.ts', imported: 'services/a/src/features/c/d' },
    { file: 'services/a/src/features/c/e.ts', imported: 'services/a/src/access/f' },
    { file: 'services/a/src/stores/g.test.ts', imported: 'services/a/src/features/c/d' },
  ]);
  expect(circularImports(folders)).toHaveLength(2);
});
