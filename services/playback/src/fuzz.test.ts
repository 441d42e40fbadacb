import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { playbackDocument, playbackProblems } from '@multi-drm/contracts';
import { fuzzOperation } from '@multi-drm/local/fuzzing';
import { operationsOf } from '@multi-drm/service-kit';
import { connected, type Playback, sessionRequest, startPlayback } from './testing/playback';
import { makeTenant } from './testing/published-tenant';

let playback: Playback;
let server: Server;
const tenant = makeTenant({ maximumConcurrentStreams: 20 });

beforeAll(async () => {
  playback = startPlayback({ sessionRequestsPerMinute: 100_000 });
  await connected(playback);
  await playback.publish(tenant);
  server = createServer(playback.app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  playback.close();
});

test.each(operationsOf(playbackDocument))(
  'whatever $operationId is asked, it answers as documented',
  async (operation) => {
    const subject = `viewer-${randomUUID()}`;
    const { body: session } = await playback.create(tenant, sessionRequest({ subject })).expect(200);
    const client = { 'X-SERVICE-Client-Id': tenant.client.clientId, 'X-SERVICE-Client-Secret': tenant.accessKey };
    await fuzzOperation({
      document: playbackDocument,
      operationId: operation.operationId,
      origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      credentials: client,
      otherCredentials: [
        {},
        { Authorization: `Bearer ${session.drm.drmLicenseToken}` },
        { Authorization: `Bearer ${session.drm.drmLicenseToken}x` },
        { ...client, 'X-SERVICE-Client-Secret': 'ak_x' },
        { 'X-SERVICE-Client-Id': '' },
      ],
      parameters: { siteId: [tenant.environment.environmentId], sessionId: [session.sessionId] },
      members: {
        contentId: [tenant.content.contentId],
        contentType: ['vod'],
        drmSystem: ['widevine'],
        licensePolicy: [undefined], // beside a template it is refused before all else
        licensePolicyTemplate: ['single-software'],
        playbackMode: ['streaming'],
        subject: [subject],
      },
      unstated: /^(?:cursor|subject|reporting)$/,
      problems: playbackProblems,
      runs: operation.hasBody ? 100 : 25,
    });
    await playback.create(tenant, sessionRequest()).expect(200);
  },
);
