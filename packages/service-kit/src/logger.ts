import { isDate, isNativeError } from 'node:util/types';
import winston from 'winston';

/** What the services need from a logger. Use `error` only if a person must act. */
export interface Logger {
  error(message: string, fields?: Record<string, unknown>): void;
  warn(message: string, fields?: Record<string, unknown>): void;
  info(message: string, fields?: Record<string, unknown>): void;
  debug(message: string, fields?: Record<string, unknown>): void;
}

/** Maximum length of a logged string, in UTF-16 code units. */
const maximumText = 4_000;
const maximumDepth = 6;

const secretField =
  /secret|token|authorization|cookie|password|passphrase|(?:access|private|management|operator|api|signing|hash)[-_]?key(?!-?_?id)|^key$|^sub(?:ject)?$|^body$/i;

// Management, access and operator keys; anything that starts like a JWT; user and password in a URL.
const secretText = /(?<![A-Za-z0-9])(?:mk|ak|op)_[\w-]{16,}|eyJ[\w-]{8,}(?:\.[\w-]*)*|(?<=:\/\/)[^\s/?#]+(?=@)/g;

/** Cuts between words, so that no partial secret remains that would go unrecognized. */
function cut(text: string): string {
  if (text.length <= maximumText) return text;
  const words = text.slice(0, text.slice(0, maximumText).search(/\s\S*$/) + 1);
  return `${words}[${text.length - words.length} more characters]`;
}

/**
 * Copies a log field without secrets: redacts fields by name, and credentials inside strings. Long strings are cut;
 * values that JSON cannot represent are replaced by a description in brackets.
 */
export function redact(value: unknown, within: readonly unknown[] = []): unknown {
  if (typeof value === 'string') return cut(value).replace(secretText, '[redacted]');
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'function') return '[function]'; // its toJSON would be called
  if (typeof value !== 'object' || value === null) return value;
  if (isDate(value)) return new Date(Number(value)); // without a toJSON of its own
  if (within.includes(value)) return '[circular]';
  if (within.length > maximumDepth) return '[too deep]';
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  const inside = [...within, value];
  if (Array.isArray(value)) return value.map((item) => redact(item, inside));
  return Object.fromEntries(
    Object.entries(isNativeError(value) ? errorFields(value) : value).map(([name, item]) => [
      name,
      secretField.test(name) && item !== undefined ? '[redacted]' : redact(item, inside),
    ]),
  );
}

function errorFields(error: Error & { code?: unknown; errors?: unknown }): Record<string, unknown> {
  const { name, message, code, cause, errors } = error;
  // The stack starts with the message, which is logged already and may be so long that the stack would be cut.
  const stack = String(error.stack);
  return { name, message, code, stack: stack.slice(Math.max(0, stack.search(/\n {4}at /))).trim(), cause, errors };
}

/** Where winston's transports look for the text of an entry. */
const line = Symbol.for('message');

/**
 * Redacts all fields of an entry and writes them as JSON. One format instead of winston's `timestamp` and `json`, which take twice
 * as long for each line; a redacted entry contains nothing that `JSON.stringify` refuses.
 */
const redactedJson = winston.format((info) => {
  for (const name of Object.keys(info)) {
    if (name === 'level') continue;
    try {
      info[name] = secretField.test(name) ? '[redacted]' : redact(info[name]);
    } catch {
      info[name] = '[cannot be read]'; // a getter that throws must not make logging throw
    }
  }
  info[line] = JSON.stringify({ ...info, timestamp: new Date().toISOString() });
  return info;
});

/** Creates a logger that writes one JSON line per entry to standard output, or to the given stream. */
export function createLogger(options: { service: string; level: string; stream?: NodeJS.WritableStream }): Logger {
  const { service, level, stream } = options;
  return winston.createLogger({
    level,
    defaultMeta: { service },
    format: redactedJson(),
    transports: [stream === undefined ? new winston.transports.Console() : new winston.transports.Stream({ stream })],
  });
}
