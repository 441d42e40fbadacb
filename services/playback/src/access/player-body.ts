import { Problem } from '@multi-drm/contracts';
import { type Request, type RequestHandler, type Response, text } from 'express';
import { namesApiClient } from './authorize';
import { playerRouteOf } from './player-routes';

const release = 'releasePlaybackSession';
const sessionOperations = [release, 'renewPlaybackSession'];
const maximumTokenBytes = 8 * 1024;

const readText = text({ type: 'text/plain', limit: maximumTokenBytes });

/**
 * Players send release and renew without a body, or with one that has no meaning: browsers label an empty body `text/plain`. It is
 * ignored unless the caller is an API client. On release, a `text/plain` body without an Authorization header is the license
 * token, because `navigator.sendBeacon` cannot set headers when a tab closes.
 */
export function playerBody(headerPrefix: string): RequestHandler {
  return async (request, response, next) => {
    const operation = playerRouteOf(request.path)?.operationId ?? '';
    const isBearer = request.get('Authorization') !== undefined;
    if (sessionOperations.includes(operation) && (isBearer || !namesApiClient(request, headerPrefix))) {
      if (operation === release && !isBearer) await takeTokenFromBody(request, response);
      delete request.headers['content-type'];
    }
    next();
  };
}

async function takeTokenFromBody(request: Request, response: Response): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    readText(request, response, (error?: unknown) => (error === undefined ? resolve() : reject(toProblem(error))));
  });
  const token: unknown = request.body;
  request.body = undefined;
  if (typeof token === 'string' && token.trim() !== '') request.headers.authorization = `Bearer ${token.trim()}`;
}

function toProblem(error: unknown): unknown {
  const { status } = error as { status?: unknown };
  if (status === 413) return new Problem('request_too_large', `The token must not exceed ${maximumTokenBytes} bytes.`);
  if (status === 415)
    return new Problem('unsupported_media_type', 'The encoding of the request body is not supported.');
  if (status === 400) return new Problem('token_invalid', 'The request body is incomplete or cannot be decompressed.');
  return error;
}
