// Receives events and verifies that they come from your deployment (Standard Webhooks 1.0). Without dependencies.
// WEBHOOK_SECRET=whsec_… PORT=4000 node receiver.ts    Node 22.18 or newer; before that: npx tsx receiver.ts
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';

const { WEBHOOK_SECRET = '', PORT = '4000' } = process.env;
const secret = Buffer.from(WEBHOOK_SECRET.replace(/^whsec_/, ''), 'base64');
if (secret.length === 0) throw new Error('WEBHOOK_SECRET is required');

/** How old an event's timestamp may be, so that nobody can send a recorded one again later. */
const toleranceSeconds = 300;
const maximumBytes = 65_536;

/** `body`: the bytes as they were received. Parsed and written again, they would be others. */
function isVerified(headers: IncomingHttpHeaders, body: Buffer): boolean {
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    String(headers[name] ?? ''),
  );
  if (!id || !timestamp || !signatures) return false;
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= toleranceSeconds)) return false;
  const expected = createHmac('sha256', secret).update(`${id}.${timestamp}.`).update(body).digest();
  // During a rotation there are two: one with the old secret and one with the new one.
  return signatures.split(' ').some((signature) => {
    const [version, text = ''] = signature.split(',');
    const given = Buffer.from(text, 'base64');
    return version === 'v1' && given.length === expected.length && timingSafeEqual(given, expected);
  });
}

/** The events that are known. Keep these ids in your database: an event may come twice. */
const known = new Set<string>();

const server = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > maximumBytes) return void response.writeHead(413, { Connection: 'close' }).end();
    chunks.push(chunk);
  }
  const body = Buffer.concat(chunks);
  if (!isVerified(request.headers, body)) return void response.writeHead(401).end();
  const event: { id: string; type: string } = JSON.parse(body.toString());
  if (!known.has(event.id)) {
    known.add(event.id);
    console.log(event.type, event.id); // put it in a queue here; what takes longer than 15 seconds counts as failed
  }
  response.writeHead(204).end();
});
server.listen(Number(PORT), '127.0.0.1');
