import type { FieldErrors } from '@multi-drm/contracts';
import type { ValidationErrorItem } from 'express-openapi-validator/dist/framework/types';
import { formatMessages } from './formats';
import { queryIntegerMessage } from './query-integers';
import { enumerationMessage, type SchemaMessages } from './schema-messages';

/**
 * How many fields a validation problem lists at most, so that a body full of errors cannot cause a much larger
 * response.
 */
export const maximumFields = 100;

/** Joins a path into a body in the callers' notation: `manifests[0].url`. */
export function joinedPath(parts: (string | number)[]): string {
  return parts
    .map((part) => (/^\d+$/.test(String(part)) ? `[${part}]` : `.${part}`))
    .join('')
    .replace(/^\./, '');
}

/**
 * Converts a JSON pointer to the notation of callers: `/body/manifests/0/url` → `manifests[0].url`, `/query/limit` →
 * `limit`, `/headers/if-match` → `If-Match`. `body` stands for the whole body, `path` for the path.
 */
export function fieldPath(pointer: string): string {
  const [, place, ...parts] = pointer.split('/').map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  switch (place) {
    case 'headers':
      return parts.join('/').replaceAll(/(?<![a-z0-9])[a-z]/g, (letter) => letter.toUpperCase());
    case 'query':
    case 'params':
    case 'body':
      return parts.length === 0 ? place : joinedPath(parts);
    default:
      return 'path';
  }
}

const typeNames: Readonly<Record<string, string>> = {
  string: 'a string',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  object: 'an object',
  array: 'an array',
};

/** `integer,null` → `must be a whole number or null`. */
function typeMessage(message: string): string {
  const types = message.replace('must be ', '').split(',');
  return `must be ${types.map((type) => typeNames[type] ?? type).join(' or ')}`;
}

const keywordOf = ({ errorCode }: ValidationErrorItem): string | undefined => errorCode?.split('.', 1)[0];

/** `must NOT have fewer than 1 items` → `must have at least 1 item`. */
function countMessage(message: string): string {
  const [, bound, count, noun] = /^must NOT have (fewer|more) than (\d+) (character|item)s$/.exec(message) ?? [];
  if (count === undefined) return message;
  return `must have at ${bound === 'fewer' ? 'least' : 'most'} ${count} ${noun}${count === '1' ? '' : 's'}`;
}

function messageOf(item: ValidationErrorItem, messages: SchemaMessages): string {
  const { message, path } = item;
  const documented = messages.get(message);
  if (documented !== undefined) return documented;
  switch (keywordOf(item)) {
    case 'format': {
      const format = /"(.+)"/.exec(message)?.[1] ?? '';
      return formatMessages[format] ?? queryIntegerMessage(format) ?? message;
    }
    case 'additionalProperties':
      return 'is not a known field';
    case 'required':
      return 'is required';
    case 'pattern':
      return message.endsWith('"\\S"') ? 'must not be blank' : message;
    case 'minLength':
    case 'maxLength':
    case 'minItems':
    case 'maxItems':
      return countMessage(message);
    case 'minProperties':
      // Nulls that count as absent were removed earlier.
      return 'must have at least one field that is not null';
    case 'minimum':
      return message.replace('>=', 'at least');
    case 'maximum':
      return message.replace('<=', 'at most');
    case 'uniqueItems':
      return 'must not contain the same item twice';
    case 'enum':
      return enumerationMessage(message);
    case 'type':
      if (message === 'must be boolean' && path.startsWith('/query/')) return 'must be true or false, given once';
      // A query parameter is a string, unless it was given more than once or with brackets.
      return path.startsWith('/query/') ? 'must be given once, as a single value' : typeMessage(message);
    default:
      return message.includes('must be url encoded') ? 'must be percent-encoded' : message;
  }
}

/**
 * Groups the validator's errors by field, for the first fields only: there may be thousands, and the work for each is not
 * small. `messages` are the document's own messages for patterns and enumerations.
 */
export function fieldErrors(items: ValidationErrorItem[], messages: SchemaMessages = new Map()): FieldErrors {
  const byPath = new Map<string, ValidationErrorItem[]>();
  for (const item of items) {
    // An `if` error only repeats that its `then` failed, which has errors of its own.
    if (keywordOf(item) === 'if') continue;
    const pathErrors = byPath.get(item.path);
    if (pathErrors !== undefined) pathErrors.push(item);
    else if (byPath.size < maximumFields) byPath.set(item.path, [item]);
  }
  const errors = new Map<string, Set<string>>(); // not an object: a field may be named `__proto__`
  for (const [path, pathErrors] of byPath) {
    const field = fieldPath(path);
    const fieldMessages = errors.get(field) ?? new Set();
    const hasFormat = pathErrors.some((item) => keywordOf(item) === 'format');
    for (const item of pathErrors) {
      // The format's message already explains the pattern.
      if (keywordOf(item) === 'pattern' && hasFormat) continue;
      fieldMessages.add(messageOf(item, messages));
    }
    errors.set(field, fieldMessages);
  }
  return Object.fromEntries(Array.from(errors, ([field, fieldMessages]) => [field, [...fieldMessages]]));
}
