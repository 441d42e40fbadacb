import { invalidRequest, Problem } from '@multi-drm/contracts';
import type { Request, RequestHandler } from 'express';
import { decodeContent } from '../outbound/content-coding';
import { type Bodies, bodyTooLarge, maximumBodyBytes } from './bodies';
import type { Operation } from './operations';
import { parseStrictly } from './strict-json';

/** Whether the content type of a request is JSON. */
export function isJson(request: Request): boolean {
  return /^application\/json\s*(?:;|$)/i.test(request.headers['content-type'] ?? '');
}

function isUtf8(request: Request): boolean {
  const charset = /;\s*charset\s*=\s*"?([^\s;"]*)/i.exec(request.headers['content-type'] ?? '')?.[1];
  return charset === undefined || /^utf-?8$/i.test(charset);
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Parses JSON; returns undefined for an empty body. */
function parse(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    throw invalidRequest({ body: ['is not valid UTF-8'] });
  }
  return parseStrictly(text);
}

/**
 * Decompresses a body that has been received. Done only for callers that passed the access check, because it takes far
 * more work than to send such a body. A body that does not fit or cannot be decompressed is a problem.
 */
async function decompressed(bytes: Buffer, contentEncoding: string, maximumBytes: number): Promise<Buffer> {
  const decoded = await decodeContent(bytes, contentEncoding, maximumBytes);
  if (decoded === 'too_large') throw bodyTooLarge(maximumBytes);
  if (decoded === 'unknown_coding') {
    throw new Problem('unsupported_media_type', 'The content encoding is not supported.');
  }
  if (decoded === 'broken') throw invalidRequest({ body: ['is truncated or cannot be decompressed'] });
  return decoded;
}

/**
 * Passes the bytes of a request's body to `use`, decompressed to at most `maximumBytes`, and then goes on to the next
 * handler.
 */
export function usingBytes(
  bodies: Bodies,
  use: (bytes: Buffer, request: Request) => void,
  maximumBytes = maximumBodyBytes,
): RequestHandler {
  return (request, _response, next) => {
    const bytes = bodies.bytesOf(request);
    const { 'content-encoding': coding } = request.headers;
    const go = (plain: Buffer) => {
      use(plain, request);
      next();
    };
    // Plain bodies, by far the most, wait for nothing.
    return coding === undefined || bytes.length === 0 ? go(bytes) : decompressed(bytes, coding, maximumBytes).then(go);
  };
}

/** Whether a body says nothing: `null` or an empty list, which some clients send instead of no body. */
const saysNothing = (value: unknown): boolean => value === null || (Array.isArray(value) && value.length === 0);

/**
 * Parses a UTF-8 JSON body. A body that cannot be parsed is a problem. Without a body, or with another content type,
 * `request.body` stays undefined; also with `null` or `[]` if the operation needs no body.
 */
export function jsonBody(bodies: Bodies, { needsBody, maximumBodyBytes: maximumBytes }: Operation): RequestHandler {
  const use = (bytes: Buffer, request: Request) => {
    const value = parse(bytes);
    request.body = !needsBody && saysNothing(value) ? undefined : value;
  };
  const read = usingBytes(bodies, use, maximumBytes);
  return (request, response, next) => {
    if (!isJson(request)) {
      next();
      return;
    }
    if (!isUtf8(request)) throw new Problem('unsupported_media_type', 'JSON must be encoded in UTF-8.');
    return read(request, response, next);
  };
}

const withoutContent = new Set(['', '{}', '[]', 'null']);

/**
 * Refuses a body of an operation that has none, so that no caller believes it has an effect. Accepted is what HTTP
 * clients send with every POST: JSON white space, `{}`, `[]` or `null`.
 */
export function refuseUnwantedBody(bodies: Bodies): RequestHandler {
  const refusal = () => invalidRequest({ body: ['is not allowed here: send no body, or {}'] });
  const read = usingBytes(bodies, (bytes) => {
    if (!withoutContent.has(bytes.toString('latin1').replaceAll(/[ \t\r\n]+/g, ''))) throw refusal();
  });
  return async (request, response, next) => {
    try {
      await read(request, response, next);
    } catch (error) {
      // Too large, or it cannot be decompressed: in any case it is a body.
      throw error instanceof Problem && error.status < 500 ? refusal() : error;
    }
  };
}
