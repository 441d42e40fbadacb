import { invalidRequest } from '@multi-drm/contracts';
import { isText, joinedPath, textMessage } from '@multi-drm/service-kit';

const maximumBytes = 1024;

/**
 * Throws `invalid_request` for `reporting` that is too long, or has a text that is none of Contract v1, also as a name: PostgreSQL could not
 * store the session then.
 */
export function checkReporting(reporting: Record<string, unknown> | undefined): void {
  if (reporting === undefined) return;
  if (Buffer.byteLength(JSON.stringify(reporting), 'utf8') > maximumBytes) {
    throw invalidRequest({ reporting: [`must be at most ${maximumBytes} bytes of JSON`] });
  }
  const path = pathOfNoText(reporting, ['reporting']);
  if (path !== undefined) throw invalidRequest({ [joinedPath(path)]: [textMessage] });
}

/** The path of a string that cannot be stored as text; of a name, that of its object. */
function pathOfNoText(value: unknown, path: string[]): string[] | undefined {
  if (typeof value === 'string') return isText(value) ? undefined : path;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, member] of Object.entries(value)) {
    const found = isText(name) ? pathOfNoText(member, [...path, name]) : path;
    if (found !== undefined) return found;
  }
  return undefined;
}
