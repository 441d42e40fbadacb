import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { apply, CannotApply } from './mutant';
import { mutants } from './mutants';

const original = 'if (allowed) enter();\n';
let root: string;
const content = () => readFileSync(join(root, 'door.ts'), 'utf8');
const mutant = (find: string) => ({
  name: 'door',
  protection: 'Only those who are allowed enter.',
  file: 'door.ts',
  find,
  replace: '$& enter',
  suite: 'door.test',
});

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'mutant-'));
  writeFileSync(join(root, 'door.ts'), original);
});

afterEach(() => rmSync(root, { recursive: true }));

test('a mutant replaces its text as it is written, and is restored to the byte', () => {
  const restore = apply(mutant('if (allowed) enter'), root);
  expect(content()).toBe('$& enter();\n');
  restore();
  expect(content()).toBe(original);
});

test.each([['not there'], ['e']])('a mutant whose text (%j) is not there exactly once changes nothing', (find) => {
  expect(() => apply(mutant(find), root)).toThrow(CannotApply);
  expect(content()).toBe(original);
});

test('every mutant of the list has a name of its own and fits its file', () => {
  expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length);
  const repository = join(__dirname, '../../..');
  const misfits = mutants.filter(({ file, find, replace }) => {
    if (!existsSync(join(repository, file))) return true;
    const parts = readFileSync(join(repository, file), 'utf8').split(find);
    return parts.length !== 2 || find === replace;
  });
  expect(misfits.map(({ name }) => name)).toEqual([]);
});
