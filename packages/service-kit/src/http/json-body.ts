import { invalidRequest, Problem } from '@multi-drm/contracts';
import express, { type Request, type RequestHandler, type Response } from 'express';
import { parseStrictly } from './strict-json';

/** Largest request body, in bytes, after decompression. */
export const maximumBodyBytes = 64 * 1024;

/** Whether a request says that its body is JSON. */
export function isJson(request: Request): boolean {
  return /^application\/json\s*(?:;|$)/i.test(request.headers['content-type'] ?? '');
}

function isUtf8(request: Request): boolean {
  const charset = /;\s*charset\s*=\s*"?([^\s;"]*)/i.exec(request.headers['content-type'] ?? '')?.[1];
  return charset === undefined || /^utf-?8$/i.test(charset);
}

/** The value of a JSON text; undefined where there is no text at all. */
function parse(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw invalidRequest({ body: ['is not valid UTF-8'] });
  }
  return parseStrictly(text);
}

/** The problem that a failure to read a body is. Errors that are not the caller's stay what they are. */
function toProblem(error: unknown): unknown {
  const { status } = error as { status?: unknown };
  if (status === 413) return new Problem('request_too_large', `A body has at most ${maximumBodyBytes} bytes.`);
  if (status === 415) return new Problem('unsupported_media_type', 'The content encoding is not supported.');
  // A body that ends early, or claims to be compressed and is not: zlib's errors have nothing more to tell them by.
  if (status === 400) return invalidRequest({ body: ['ends early, or cannot be decompressed'] });
  return error;
}

const read = express.raw({ limit: maximumBodyBytes, type: () => true });

/** Reads a body of any content type, of at most 64 KiB, as bytes. No body leaves `request.body` undefined. */
export const bytesBody: RequestHandler = async (request, response, next) => {
  await readBytes(request, response);
  next();
};

async function readBytes(request: Request, response: Response): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    read(request, response, (error?: unknown) => (error === undefined ? resolve() : reject(toProblem(error))));
  });
}

/** Whether a text is JSON's white space alone, or an object without members. */
const isNothingIn = (text: string) => ['', '{}'].includes(text.replaceAll(/[ \t\r\n]+/g, ''));

/**
 * Refuses a body where the document knows none, so that nobody believes that its members count. `{}` is none: HTTP
 * clients send it with every POST.
 */
export const refuseBody: RequestHandler = async (request, response, next) => {
  if (!(await isNothing(request, response))) throw invalidRequest({ body: ['is not taken here: send none, or {}'] });
  request.body = undefined;
  next();
};

async function isNothing(request: Request, response: Response): Promise<boolean> {
  try {
    await readBytes(request, response);
  } catch (error) {
    if (error instanceof Problem) return false; // too large, or cannot be decompressed
    throw error;
  }
  return !Buffer.isBuffer(request.body) || isNothingIn(request.body.toString('latin1'));
}

/**
 * Reads a JSON body of at most 64 KiB of UTF-8; what cannot be read or parsed is a problem. No body, and a body of
 * another content type, leave `request.body` undefined.
 */
export const jsonBody: RequestHandler = async (request, response, next) => {
  if (isJson(request)) {
    if (!isUtf8(request)) throw new Problem('unsupported_media_type', 'JSON is taken as UTF-8 only.');
    await readBytes(request, response);
    if (Buffer.isBuffer(request.body)) request.body = parse(request.body);
  }
  next();
};
