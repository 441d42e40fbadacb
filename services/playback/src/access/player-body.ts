import { Problem } from '@multi-drm/contracts';
import type { Bodies } from '@multi-drm/service-kit';
import type { Request, RequestHandler } from 'express';
import { namesApiClient } from './authorize';
import { playerRouteOf } from './player-routes';

const release = 'releasePlaybackSession';
const sessionOperations = [release, 'renewPlaybackSession'];
const maximumTokenBytes = 8 * 1024;

/**
 * Players send release and renew without a body, or with one that has no meaning: browsers label an empty body `text/plain`. It is
 * ignored unless the caller is an API client. On release, a `text/plain` body without an Authorization header is the license
 * token, because `navigator.sendBeacon` cannot set headers when a tab closes.
 */
export function playerBody(bodies: Bodies, headerPrefix: string): RequestHandler {
  return (request, _response, next) => {
    const operation = playerRouteOf(request.path)?.operationId ?? '';
    const isBearer = request.get('Authorization') !== undefined;
    if (sessionOperations.includes(operation) && (isBearer || !namesApiClient(request, headerPrefix))) {
      if (operation === release && !isBearer && isPlainText(request)) takeTokenFromBody(bodies, request);
      delete request.headers['content-type'];
    }
    next();
  };
}

function isPlainText(request: Request): boolean {
  return /^text\/plain\s*(?:;|$)/i.test(request.headers['content-type'] ?? '');
}

function takeTokenFromBody(bodies: Bodies, request: Request): void {
  const { 'content-encoding': coding = 'identity' } = request.headers;
  // A compressed token is refused, because it would be decompressed before the caller's credential is checked. No browser compresses a
  // beacon.
  if (coding.toLowerCase() !== 'identity') {
    throw new Problem('unsupported_media_type', 'The encoding of the request body is not supported.');
  }
  const token = bodies.bytesOf(request);
  if (token.length > maximumTokenBytes) {
    throw new Problem('request_too_large', `The token must not exceed ${maximumTokenBytes} bytes.`);
  }
  const text = token.toString('utf8').trim();
  if (text !== '') request.headers.authorization = `Bearer ${text}`;
}
