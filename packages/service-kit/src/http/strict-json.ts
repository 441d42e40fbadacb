import { type FieldErrors, invalidRequest } from '@multi-drm/contracts';
import { type JSONPath, visit } from 'jsonc-parser';
import { joinedPath, maximumFields } from './field-errors';
import { isKeptExactly } from './kept-exactly';

/**
 * How deep arrays and objects may lie in each other, and how many values a body may hold: more than any document asks
 * for, and little enough for what recurses, and for a validator that compares all with all and collects every fault.
 */
const maximumDepth = 32;
const maximumValues = 2_000;

/** Names that reach the prototypes of objects where members are copied one by one. */
function isDangerous(name: string, parent: JSONPath): boolean {
  return name === '__proto__' || (name === 'prototype' && parent.at(-1) === 'constructor');
}

/**
 * Finds what JSON.parse would change without a word: members that are given twice, of which the last one would win,
 * names that other code drops, and numbers that no number of JavaScript is equal to. Throws where the text holds too
 * much or nests too deep, in members given twice too.
 */
function changedByParsing(text: string): FieldErrors {
  const errors = new Map<string, string[]>();
  const add = (path: JSONPath, message: string) => {
    const field = path.length === 0 ? 'body' : joinedPath(path);
    if (errors.size < maximumFields || errors.has(field)) errors.set(field, [message]);
  };
  /** The names so far of each object around the present place; of an array none. */
  const names: Set<string>[] = [];
  let values = 0;
  const count = (depth: number) => {
    values += 1;
    if (values <= maximumValues && depth <= maximumDepth) return;
    throw invalidRequest({
      body: [`holds more than ${maximumValues} values, or nests deeper than ${maximumDepth} levels`],
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
      if (isDangerous(name, parent)) add([...parent, name], 'is no allowed name');
      else if (before?.has(name)) add([...parent, name], 'is given twice');
      before?.add(name);
    },
    onLiteralValue: (value: unknown, offset, length, _line, _character, path) => {
      count(names.length);
      if (typeof value === 'number' && !isKeptExactly(text.slice(offset, offset + length))) {
        add(path(), 'is no number that can be kept exactly');
      }
    },
  });
  return Object.fromEntries(errors);
}

/** The value of a JSON text. Throws `invalid_request` where there is none, or where it could not be kept as it is. */
export function parseStrictly(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalidRequest({ body: ['is not valid JSON'] }); // the parser's message would quote the body
  }
  const errors = changedByParsing(text);
  if (Object.keys(errors).length > 0) throw invalidRequest(errors);
  return value;
}
