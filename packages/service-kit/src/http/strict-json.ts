import { type FieldErrors, invalidRequest } from '@multi-drm/contracts';
import { type JSONPath, visit } from 'jsonc-parser';
import { isExactNumber } from './exact-numbers';
import { joinedPath, maximumFields } from './field-errors';

/**
 * Maximum nesting depth and number of values in a body: more than any valid request needs, and few enough for recursive
 * code and for a validator that compares items pairwise and collects every error.
 */
const maximumDepth = 32;
const maximumValues = 2_000;

/** Names that reach object prototypes where members are copied one by one. */
function isDangerous(name: string, parent: JSONPath): boolean {
  return name === '__proto__' || (name === 'prototype' && parent.at(-1) === 'constructor');
}

/**
 * Finds what JSON.parse would change silently: members given twice, of which the last one would win; names that other
 * code drops; and numbers that JavaScript cannot represent. Throws if the text has too many values or nests too deep,
 * including in duplicate members.
 */
function changedByParsing(text: string): FieldErrors {
  const errors = new Map<string, string[]>();
  const add = (path: JSONPath, message: string) => {
    const field = path.length === 0 ? 'body' : joinedPath(path);
    if (errors.size < maximumFields || errors.has(field)) errors.set(field, [message]);
  };
  /** The names seen so far in each enclosing object; empty for arrays. */
  const names: Set<string>[] = [];
  let values = 0;
  const count = (depth: number) => {
    values += 1;
    if (values <= maximumValues && depth <= maximumDepth) return;
    throw invalidRequest({
      body: [`contains more than ${maximumValues} values, or nests more than ${maximumDepth} levels deep`],
    });
  };
  const begin = () => {
    names.push(new Set());
    count(names.length);
  };
  const end = () => void names.pop();
  visit(text, {
    onObjectBegin: begin,
    onArrayBegin: begin,
    onObjectEnd: end,
    onArrayEnd: end,
    onObjectProperty: (name, _offset, _length, _line, _character, parentPath) => {
      const parent = parentPath();
      const before = names.at(-1);
      if (isDangerous(name, parent)) add([...parent, name], 'is not an allowed name');
      else if (before?.has(name)) add([...parent, name], 'is given twice');
      before?.add(name);
    },
    onLiteralValue: (value: unknown, offset, length, _line, _character, path) => {
      count(names.length);
      if (typeof value === 'number' && !isExactNumber(text.slice(offset, offset + length))) {
        add(path(), 'is a number that cannot be represented exactly');
      }
    },
  });
  return Object.fromEntries(errors);
}

const isDeeperThan = (levels: number, value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((member) => isDeeperThan(levels - 1, member)));

/**
 * Whether parsing certainly changed nothing, which most bodies allow to tell quickly: written again, the value is the
 * same text. So no member was given twice, and every name and number is written as JavaScript would. A value takes two
 * characters at least, with its comma or bracket.
 */
function isUnchanged(text: string, value: unknown): boolean {
  return (
    text.length < 2 * maximumValues &&
    !text.includes('proto') &&
    JSON.stringify(value) === text &&
    !isDeeperThan(maximumDepth, value)
  );
}

/** Parses JSON. Throws `invalid_request` if it is invalid, or if its values would not survive parsing unchanged. */
export function parseStrictly(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalidRequest({ body: ['is not valid JSON'] }); // the parser's own message would quote the body
  }
  if (isUnchanged(text, value)) return value;
  const errors = changedByParsing(text);
  if (Object.keys(errors).length > 0) throw invalidRequest(errors);
  return value;
}
