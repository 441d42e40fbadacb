import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Exception } from './exceptions';
import { expressionsIn, patternsOf } from './found-expressions';
import { findingsOf, judgeWith } from './judge';

const sourcesIn = (source: string) => expressionsIn(source, 'a.ts').map(({ source, flags }) => `/${source}/${flags}`);

test('a literal is found anywhere', () => {
  expect(sourcesIn('export class A { b = (c: string) => ({ d: /^a+$/i.test(c) }); }')).toEqual(['/^a+$/i']);
});

test.each([
  ["new RegExp('a+')", '/a+/'],
  ["const part = 'a+'; RegExp(`^$" + "{part}$`, 'u')", '/^a+$/u'],
  ['const set = String.raw`\\w`; new RegExp(String.raw`[^\\s$' + "{set}]`, 'g')", '/[^\\s\\w]/g'],
  ["const parts = ['a', 'b*']; new RegExp('^' + parts.join('|'))", '/^a|b*/'],
])('%s is evaluated to its expression', (source, expected) => {
  expect(sourcesIn(source)).toEqual([expected]);
});

test('an expression created at run time is named by its code, also after multi-byte characters', () => {
  expect(expressionsIn("const a = 'ü'; const b = (c: string) => new RegExp('^' + c, 'i');", 'a.ts')).toEqual([
    { file: 'a.ts', source: "new RegExp('^' + c, 'i')", flags: '', isMade: true },
  ]);
});

test('the patterns of a document are found at every depth, and a property named pattern is not one', () => {
  const document = { a: [{ properties: { pattern: { type: 'string', pattern: '^b$' } } }] };
  expect(patternsOf(document, 'a.json').map(({ source }) => source)).toEqual(['^b$']);
});

const judge = (source: string) => (source === '(a+)+$' ? 'exponential' : undefined);
const found = expressionsIn('const [a, b] = [/(a+)+$/, /b/];', 'a.ts');
const exception: Exception = { file: 'a.ts', source: '(a+)+$', reason: 'The texts are ours.' };

test('an expression that is not linear is reported unless it is an exception', () => {
  expect(findingsOf(found, [], judge)).toEqual(['a.ts: /(a+)+$/ exponential']);
  expect(findingsOf(found, [exception], judge)).toEqual([]);
});

test('an exception that no longer exists is reported', () => {
  expect(findingsOf([], [exception], judge)).toHaveLength(1);
});

test('an expression that was found to be linear is not judged again, one with a finding is, and one that is gone is forgotten; another version judges all', () => {
  const folder = mkdtempSync(join(tmpdir(), 'expressions-'));
  const judged: string[] = [];
  const check = (source: string) => {
    judged.push(source);
    return { status: source === 'b' ? ('unknown' as const) : ('safe' as const) };
  };
  const findings = ['abc', 'ab', 'abc', 'abc'].map((sources, run) => {
    const { judge, keep } = judgeWith(check, run < 3 ? '1.0.0' : '1.0.1', join(folder, 'linear.json'));
    const findingsOfRun = [...sources].map((source) => judge(source, ''));
    keep();
    return findingsOfRun;
  });
  rmSync(folder, { recursive: true });
  expect(findings).toEqual([
    [undefined, 'cannot be judged', undefined],
    [undefined, 'cannot be judged'],
    [undefined, 'cannot be judged', undefined],
    [undefined, 'cannot be judged', undefined],
  ]);
  expect(judged).toEqual([...'abc', 'b', ...'bc', ...'abc']);
});
