import { randomUUID } from 'node:crypto';
import { type AddressInfo, connect } from 'node:net';
import { connected, type Playback, sessionRequest, startPlayback } from '../../testing/playback';
import { makeTenant, type PublishedTenant } from '../../testing/published-tenant';

let playback: Playback;
let tenant: PublishedTenant;

beforeAll(async () => {
  playback = startPlayback();
  await connected(playback);
});
beforeEach(async () => {
  tenant = makeTenant({ maximumConcurrentStreams: 1 });
  await playback.publish(tenant);
});
afterAll(() => playback.close());

/** Sends a create and hangs up at once; resolves when the service has dealt with it. */
async function hangUp(body: object): Promise<void> {
  const server = playback.app.listen(0);
  const done = new Promise<void>((resolve) => {
    server.once('request', (_request, response) => response.once('close', () => resolve()));
  });
  const { port } = server.address() as AddressInfo;
  const json = JSON.stringify(body);
  const socket = connect(port, '127.0.0.1', () => {
    socket.write(
      `POST /api/v1/playback/environments/${tenant.environment.environmentId}/sessions HTTP/1.1\r\nHost: x\r\n` +
        `X-SERVICE-Client-Id: ${tenant.client.clientId}\r\nX-SERVICE-Client-Secret: ${tenant.accessKey}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(json)}\r\n\r\n${json}`,
      () => socket.destroy(),
    );
  });
  await done;
  server.close();
}

test('a caller that hangs up before the answer holds no slot under an id it never learned', async () => {
  const request = sessionRequest();
  await hangUp(request);
  // The reservation may still be on its way back: ask until the slot is free, which without the undo is in hours.
  for (;;) {
    const { status } = await playback.create(tenant, request);
    if (status === 200) break;
  }
});

test('a caller that hangs up and asks again for its own session id finds its session', async () => {
  const request = sessionRequest({ sessionId: randomUUID() });
  await hangUp(request);
  await playback.create(tenant, request).expect(200);
  await playback.create(tenant, { ...request, sessionId: randomUUID() }).expect(429);
});
