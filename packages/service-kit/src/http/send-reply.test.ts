import express, { type Response } from 'express';
import supertest from 'supertest';
import { sendDirectly, sendThroughExpress } from './send-reply';

/** Sends a reply with the given function; returns what arrived. */
async function arrived(send: (response: Response) => void) {
  const app = express().disable('etag');
  app.post('/', (_request, response) => send(response));
  const { status, headers, text, body } = await supertest(app).post('/');
  const { date, ...others } = headers;
  return { status, headers: { ...others, date: typeof date }, text, body };
}

test.each([
  ['JSON', { status: 200, body: { text: 'ä "\u2028"', list: [1, null], nothing: undefined } }],
  ['JSON with headers', { status: 200, body: [], headers: { ETag: '"1"', 'Retry-After': '5' } }],
  ['JSON of a text', { status: 200, body: 'text' }],
  ['no body', { status: 204 }],
  ['no body with a header', { status: 204, headers: { 'X-Other': 'a' } }],
  ['bytes', { status: 200, bytes: Buffer.from([1, 2, 255]) }],
  ['no bytes', { status: 200, bytes: Buffer.alloc(0) }],
  ['bytes of a type', { status: 200, bytes: Buffer.from('{}'), contentType: 'application/json' }],
  ['bytes of a text', { status: 200, bytes: Buffer.from('<a/>'), contentType: 'text/xml' }],
  ['bytes of a text with a charset', { status: 200, bytes: Buffer.from('a'), contentType: 'text/xml; charset=utf-16' }],
])('%s arrives as Express would send it', async (_name, reply) => {
  expect(await arrived((response) => sendDirectly(response, reply))).toEqual(
    await arrived((response) => sendThroughExpress(response, reply)),
  );
});
