import type { Response } from 'express';
import type { Endpoint } from './endpoint';

type Reply = Awaited<ReturnType<Endpoint<unknown, unknown>['handle']>>;

/** Sends the reply of an endpoint through Express, which answers conditional requests and lets a validator see the body. */
export function sendThroughExpress(
  response: Response,
  { status, headers = {}, body, bytes, contentType }: Reply,
): void {
  response.status(Number(status)).set(headers);
  if (bytes !== undefined) response.type(contentType ?? 'application/octet-stream').send(bytes);
  // A response without a body also goes through json(), where the validator sees it.
  else response.json(body);
}

/**
 * Sends the same response as `sendThroughExpress`, for requests that are never conditional: without the questions that
 * Express asks of its settings, of the media type and of the request for each response.
 */
export function sendDirectly(response: Response, { status, headers, body, bytes, contentType }: Reply): void {
  response.statusCode = Number(status);
  if (headers !== undefined) response.set(headers);
  if (bytes !== undefined) {
    response.type(contentType ?? 'application/octet-stream').setHeader('Content-Length', bytes.length);
    response.end(bytes);
  } else if (body === undefined) {
    response.end();
  } else {
    const text = JSON.stringify(body);
    response.setHeader('Content-Type', 'application/json; charset=utf-8');
    response.setHeader('Content-Length', Buffer.byteLength(text));
    response.end(text);
  }
}
