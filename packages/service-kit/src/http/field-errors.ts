import type { FieldErrors } from '@multi-drm/contracts';
import type { ValidationErrorItem } from 'express-openapi-validator/dist/framework/types';
import { formatMessages } from './formats';

/** How many fields a refusal names at most: a body of nothing but faults must not make an answer many times its size. */
export const maximumFields = 100;

/** A path into a body as callers write it: `manifests[0].url`. */
export function joinedPath(parts: (string | number)[]): string {
  return parts
    .map((part) => (/^\d+$/.test(String(part)) ? `[${part}]` : `.${part}`))
    .join('')
    .replace(/^\./, '');
}

/**
 * Where a fault lies, as callers write it: `/body/manifests/0/url` → `manifests[0].url`, `/query/limit` → `limit`,
 * `/headers/if-match` → `If-Match`; `body` is the body as a whole, `path` the path.
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

const keywordOf = ({ errorCode }: ValidationErrorItem): string | undefined => errorCode?.split('.', 1)[0];

function messageOf(item: ValidationErrorItem): string {
  const { message, path } = item;
  switch (keywordOf(item)) {
    case 'format':
      return formatMessages[/"(.+)"/.exec(message)?.[1] ?? ''] ?? message;
    case 'additionalProperties':
      return 'is not a known field';
    case 'required':
      return 'is required';
    case 'pattern':
      return message.endsWith('"\\S"') ? 'must not be blank' : message;
    case 'type':
      // A query parameter is text, unless it was given more than once or with brackets.
      return path.startsWith('/query/') ? 'must be given once, as a single value' : message.replaceAll(',', ' or ');
    default:
      return message.includes('must be url encoded') ? 'must be percent-encoded' : message;
  }
}

/** What the validator found, by field. */
export function fieldErrors(items: ValidationErrorItem[]): FieldErrors {
  const errors = new Map<string, Set<string>>(); // not an object: a field may be called `__proto__`
  const formatted = new Set(items.filter((item) => keywordOf(item) === 'format').map(({ path }) => path));
  for (const item of items) {
    // Only says that what follows from a condition failed, which has errors of its own.
    if (keywordOf(item) === 'if') continue;
    // The message of the format says in words what the pattern asks for.
    if (keywordOf(item) === 'pattern' && formatted.has(item.path)) continue;
    const field = fieldPath(item.path);
    const messages = errors.get(field) ?? new Set();
    if (errors.size === maximumFields && messages.size === 0) continue;
    errors.set(field, messages.add(messageOf(item)));
  }
  return Object.fromEntries(Array.from(errors, ([field, messages]) => [field, [...messages]]));
}
