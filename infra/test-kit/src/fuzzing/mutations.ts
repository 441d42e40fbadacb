import fc from 'fast-check';
import { hostileTexts } from './hostile-texts';

/** Returns lengths and numbers at and just beyond the limits in a document. */
function boundaryTexts(document: object): string[] {
  const lengths = new Set<number>();
  const numbers = new Set<number>();
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [keyword, bound] of Object.entries(value)) {
      if (typeof bound !== 'number') visit(bound);
      else if (/^(?:min|max)Length$/.test(keyword)) lengths.add(bound);
      else if (/^(?:min|max)imum$/.test(keyword)) numbers.add(bound);
    }
  };
  visit(document);
  const around = (bounds: Set<number>) => [...new Set([...bounds].flatMap((bound) => [bound - 1, bound, bound + 1]))];
  return [
    ...around(lengths).map((length) => JSON.stringify('x'.repeat(Math.max(length, 0)))),
    ...around(numbers).map(String),
  ];
}

type Path = (string | number)[];

/** Returns every place in a value, the value itself first. */
function placesIn(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path];
  const members = Array.isArray(value) ? value.map((item, index) => [index, item] as const) : Object.entries(value);
  return [path, ...members.flatMap(([name, member]) => placesIn(member, [...path, name]))];
}

/** Returns the JSON text of a value with one place replaced; undefined removes it. */
function textWith(value: unknown, place: Path, replacement: unknown): string | undefined {
  const [name, ...rest] = place;
  if (name === undefined) return replacement === undefined ? undefined : JSON.stringify(replacement);
  const change = (part: unknown, [first, ...more]: Path): unknown => {
    if (first === undefined) return replacement;
    const copy: Record<string, unknown> = Array.isArray(part) ? ([...part] as never) : { ...(part as object) };
    const changed = change(copy[first], more);
    if (changed === undefined && !Array.isArray(copy)) delete copy[first];
    else copy[first] = changed;
    return copy;
  };
  return JSON.stringify(change(value, [name, ...rest]));
}

const mark = 'the place of a mutation';

/** Returns the JSON text of a value with raw bytes at one place. */
function withRaw(value: unknown, place: Path, raw: string | Buffer): Buffer {
  const [before = '', after = ''] = (textWith(value, place, mark) ?? '').split(JSON.stringify(mark));
  return Buffer.concat([before, raw, after].map((part) => Buffer.from(part)));
}

/** Adds a member at the start of an object in a JSON text; a text without objects is not changed. */
function withMember(json: string, nth: number, member: (firstName: string) => string): Buffer {
  const objects = [...json.matchAll(/\{(?:("(?:[^"\\]|\\.)*"):)?/g)];
  const found = objects[nth % Math.max(objects.length, 1)];
  if (found === undefined) return Buffer.from(json);
  const at = found.index + 1;
  const separator = json[at] === '}' ? '' : ',';
  return Buffer.from(json.slice(0, at) + member(found[1] ?? '"a"') + separator + json.slice(at));
}

const textOf = (value: unknown): string => JSON.stringify(value) ?? '';
const bytesOf = (value: unknown): Buffer => Buffer.from(textOf(value));

/** Changes a value, or its JSON text, at its `nth` place; `raw` is what to insert. */
type Mutation = (value: unknown, nth: number, raw: string | Buffer) => Buffer;

function nthPlace(value: unknown, nth: number): Path {
  const places = placesIn(value);
  return places[nth % places.length] ?? [];
}

const strayNames = ['unknown', '__proto__', 'constructor', 'prototype', '', '\u0000', '\ud800', 'a/b~c'];

const replaceValue: Mutation = (value, nth, raw) => withRaw(value, nthPlace(value, nth), raw);
const leaveOut: Mutation = (value, nth) => Buffer.from(textWith(value, nthPlace(value, nth), undefined) ?? '');
const addMember: Mutation = (value, nth, raw) =>
  withMember(textOf(value), nth, () => `${JSON.stringify(strayNames[nth % strayNames.length])}:${raw}`);
const repeatMember: Mutation = (value, nth, raw) => withMember(textOf(value), nth, (name) => `${name}:${raw}`);
const cutShort: Mutation = (value, nth) => bytesOf(value).subarray(0, nth % (bytesOf(value).length + 1));
const changeByte: Mutation = (value, nth) => {
  const bytes = bytesOf(value);
  bytes[nth % bytes.length] = nth % 256;
  return bytes;
};
const addByteOrderMark: Mutation = (value) => Buffer.from(`\ufeff${textOf(value)}`);
const encodeOtherwise: Mutation = (value) => Buffer.from(textOf(value), 'utf16le');

const mutations: [weight: number, mutation: Mutation][] = [
  [8, replaceValue],
  [3, leaveOut],
  [3, addMember],
  [2, repeatMember],
  [1, cutShort],
  [1, changeByte],
  [1, addByteOrderMark],
  [1, encodeOtherwise],
];

/** Returns bodies made from valid values, each mutated so that it may violate the schema or JSON. */
export function mutated(values: fc.Arbitrary<unknown>, document: object): fc.Arbitrary<Buffer> {
  const raw = fc.oneof(fc.constantFrom(...hostileTexts), fc.constantFrom(...boundaryTexts(document)));
  const mutation = fc.oneof(...mutations.map(([weight, mutate]) => ({ weight, arbitrary: fc.constant(mutate) })));
  return fc.tuple(values, mutation, fc.nat(), raw).map(([value, mutate, nth, put]) => mutate(value, nth, put));
}

/** Values for a path or query in place of an id or number: percent-encoded, some of them wrongly. */
export const hostileSegments: string[] = [
  ...[
    '',
    '%00',
    'a%00b',
    '%ff',
    '%ed%a0%80',
    '%E0%A4%A',
    '%',
    '%zz',
    '..',
    '.',
    '%2e%2e',
    '%2f',
    '..%2f..%2fetc',
    '%5c',
  ],
  ...[
    '__proto__',
    'constructor',
    'null',
    'undefined',
    'NaN',
    '0',
    '-1',
    '1e3',
    '9'.repeat(40),
    '*',
    '%20',
    '%0d%0aX-A:1',
  ],
  ...[
    '00000000-0000-0000-0000-000000000000',
    'urn:uuid:00000000-0000-0000-0000-000000000000',
    "'%20OR%201=1--",
    '%F0%9F%98%80',
  ],
  ...[
    'x'.repeat(15),
    'x'.repeat(16),
    'x'.repeat(128),
    'x'.repeat(129),
    'x'.repeat(4_000),
    ';a=b',
    '~',
    '%7B%7D',
    ':siteId',
  ],
];

/** Values for a header. */
export const hostileHeaders: string[] = [
  ...[
    '',
    ' ',
    '*',
    '"1"',
    'W/"1"',
    '"0"',
    '"-1"',
    '"1", "2"',
    '"99999999999999999999"',
    '1',
    '"',
    '""',
    'null',
    '\u00ff\u0080',
  ],
  ...['x'.repeat(200), 'x'.repeat(201), '__proto__', 'Bearer', 'Bearer ', 'Basic YTpi', '\t'],
];
