import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { type Playback, sessionRequest, startPlayback } from '../testing/playback';
import { makeTenant, type PublishedTenant } from '../testing/published-tenant';

let playback: Playback;
let tenant: PublishedTenant;

beforeAll(async () => {
  playback = await startPlayback();
});
beforeEach(async () => {
  tenant = makeTenant({ maximumConcurrentStreams: 1 });
  await playback.publish(tenant);
});

/** Sends a create and hangs up at once; resolves when the service has handled it. */
async function hangUp(body: object, idempotencyKey?: string): Promise<void> {
  const server = createServer(playback.app).listen(0);
  const done = new Promise<void>((resolve) => {
    server.once('request', (_request, response) => response.once('close', () => resolve()));
  });
  const { port } = server.address() as AddressInfo;
  const json = JSON.stringify(body);
  const key = idempotencyKey === undefined ? '' : `Idempotency-Key: ${idempotencyKey}\r\n`;
  const socket = connect(port, '127.0.0.1', () => {
    socket.write(
      `POST /api/v1/playback/environments/${tenant.environment.environmentId}/sessions HTTP/1.1\r\nHost: x\r\n` +
        `X-SERVICE-Client-Id: ${tenant.client.clientId}\r\nX-SERVICE-Client-Secret: ${tenant.accessKey}\r\n${key}` +
        `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(json)}\r\n\r\n${json}`,
      () => socket.destroy(),
    );
  });
  await done;
  server.close();
}

test('a caller that hangs up before the response leaves no slot under an id that it never learned', async () => {
  const request = sessionRequest();
  await hangUp(request);
  // The undo may still be running: poll until the slot is free. Without the undo, that would take hours.
  for (;;) {
    const { status } = await playback.create(tenant, request);
    if (status === 200) break;
  }
});

test.each([
  ['session id', { sessionId: randomUUID() }, undefined],
  ['Idempotency-Key', {}, 'attempt-1'],
])('a caller that hangs up and repeats the create with its own %s gets its session', async (_what, own, key) => {
  const request = sessionRequest(own);
  // A truncated body starts nothing, and a reservation may still be pending: repeat until there is a session.
  const started = async () => {
    for (;;) {
      await hangUp(request, key);
      const { body } = await playback.asClient(tenant, 'get', `/sessions?subject=${request.subject}`).expect(200);
      if (body.items.length > 0) return body.items[0];
    }
  };
  const { sessionId, expiresAt } = await started();
  const { body } = await playback.create(tenant, request).set(key === undefined ? {} : { 'Idempotency-Key': key });
  expect(body).toMatchObject({ sessionId, expiresAt });
  await playback.create(tenant, { ...request, sessionId: randomUUID() }).expect(429);
});
