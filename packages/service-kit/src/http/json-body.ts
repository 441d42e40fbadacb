import { invalidRequest, Problem } from '@multi-drm/contracts';
import express, { type Request, type RequestHandler, type Response } from 'express';
import { parseStrictly } from './strict-json';

/** Maximum size of a request body in bytes, after decompression. */
export const maximumBodyBytes = 64 * 1024;

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

/** Converts an error from reading a body to a problem. Errors that the caller did not cause stay as they are. */
function toProblem(error: unknown): unknown {
  const { status } = error as { status?: unknown };
  if (status === 413) return new Problem('request_too_large', `The body must not exceed ${maximumBodyBytes} bytes.`);
  if (status === 415) return new Problem('unsupported_media_type', 'The content encoding is not supported.');
  // A truncated body, or one that claims to be compressed and is not: zlib's errors do not tell them apart.
  if (status === 400) return invalidRequest({ body: ['is truncated or cannot be decompressed'] });
  return error;
}

const read = express.raw({ limit: maximumBodyBytes, type: () => true });

/** Reads a body of any content type, up to 64 KiB, as bytes. Without a body, `request.body` stays undefined. */
export const bytesBody: RequestHandler = async (request, response, next) => {
  await readBytes(request, response);
  next();
};

async function readBytes(request: Request, response: Response): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    read(request, response, (error?: unknown) => (error === undefined ? resolve() : reject(toProblem(error))));
  });
}

/** Whether a text is only JSON white space, or an object without members. */
const isEmptyBody = (text: string) => ['', '{}'].includes(text.replaceAll(/[ \t\r\n]+/g, ''));

const unwanted = new WeakSet<Request>();

/** Reads a body on operations that have none, before the access check: a body that never arrives must hold no place. */
export const readUnwantedBody: RequestHandler = async (request, response, next) => {
  if (!(await hasNoBody(request, response))) unwanted.add(request);
  request.body = undefined;
  next();
};

/**
 * Rejects a body that `readUnwantedBody` has read, so that no caller believes it has an effect. `{}` is accepted: HTTP
 * clients send it with every POST.
 */
export const refuseUnwantedBody: RequestHandler = (request, _response, next) => {
  next(unwanted.has(request) ? invalidRequest({ body: ['is not allowed here: send no body, or {}'] }) : undefined);
};

async function hasNoBody(request: Request, response: Response): Promise<boolean> {
  try {
    await readBytes(request, response);
  } catch (error) {
    if (error instanceof Problem) return false; // too large, or cannot be decompressed
    throw error;
  }
  return !Buffer.isBuffer(request.body) || isEmptyBody(request.body.toString('latin1'));
}

/**
 * Reads a UTF-8 JSON body of up to 64 KiB. A body that cannot be read or parsed is a problem. Without a body, or with
 * another content type, `request.body` stays undefined.
 */
export const jsonBody: RequestHandler = async (request, response, next) => {
  if (isJson(request)) {
    if (!isUtf8(request)) throw new Problem('unsupported_media_type', 'JSON must be encoded in UTF-8.');
    await readBytes(request, response);
    if (Buffer.isBuffer(request.body)) request.body = parse(request.body);
  }
  next();
};
