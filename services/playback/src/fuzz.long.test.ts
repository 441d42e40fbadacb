import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { drmSystems, playbackDocument, playbackProblems } from '@multi-drm/contracts';
import { challenges } from '@multi-drm/license-backends/testing';
import { operationsOf } from '@multi-drm/service-kit';
import {
  families,
  fuzzOperation,
  stallsOf,
  timesAsMany,
  worstRequests,
  worstRequestsOfAny,
  worstTarget,
} from '@multi-drm/test-kit/fuzzing';
import fc from 'fast-check';
import { type Playback, sessionRequest, startPlayback } from './testing/playback';
import { publishBackend } from './testing/published-backend';
import { makeTenant } from './testing/published-tenant';

let playback: Playback;
let server: Server;
const tenant = makeTenant({ maximumConcurrentStreams: 20 });

beforeAll(async () => {
  playback = await startPlayback({ environment: { SESSION_REQUESTS_PER_MINUTE: '100000' } });
  await playback.publish(tenant);
  await publishBackend(playback.redis, tenant, 'fairplay', null, { certificate: 'MAA=' });
  server = createServer(playback.app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

test.each(operationsOf(playbackDocument).filter(({ body }) => body !== 'bytes'))(
  '$operationId answers any request as documented',
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
        licensePolicy: [undefined], // rejected before anything else if there is also a template
        licensePolicyTemplate: ['single-software'],
        playbackMode: ['streaming'],
        subject: [subject],
      },
      unstated: /^(?:cursor|subject|reporting)$/,
      problems: playbackProblems,
      runs: operation.body === 'none' ? 12 : 50,
    });
    await playback.create(tenant, sessionRequest()).expect(200);
  },
);

test.each(drmSystems)(
  'any bytes sent as a %s challenge get a problem that says whether the client or the backend failed',
  async (drmSystem) => {
    const fuzzed = makeTenant();
    const everything = { type: 'dash', url: 'https://cdn.example.com/m', drmSystems: [drmSystem as 'widevine'] };
    fuzzed.content.manifests = [everything];
    await playback.publish(fuzzed);
    // Nothing listens there: a challenge that passes validation gets a connection error.
    const settings = { url: 'http://127.0.0.1:1/', responseFormat: 'raw' };
    await publishBackend(playback.redis, fuzzed, drmSystem, { type: 'http', settings });
    const { body: session } = await playback.create(fuzzed, sessionRequest({ drmSystem })).expect(200);
    const known = challenges[drmSystem as keyof typeof challenges];
    const part = fc.tuple(fc.nat({ max: known.length }), fc.uint8Array({ maxLength: 8 }));
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 2000 }),
      part.map(([at, inserted]) => Buffer.concat([known.subarray(0, at), inserted, known.subarray(at)])),
      part.map(([at]) => known.subarray(0, at)),
    );
    const contentType = fc.constantFrom(
      'application/octet-stream',
      'text/xml',
      'application/json',
      'a/b',
      'text/plain',
    );
    await fc.assert(
      fc.asyncProperty(bytes, contentType, async (challenge, type) => {
        const { status, body } = await playback.license(session, Buffer.from(challenge), type);
        expect(['422 license_challenge_invalid', '502 license_backend_unavailable']).toContain(
          `${status} ${body.code}`,
        );
      }),
      { numRuns: 30 * timesAsMany, seed: 1 },
    );
  },
);

/** The credentials of a backend and of a player together: each route reads its own. */
async function targetOf(operationId: string) {
  const { body: session } = await playback.create(tenant, sessionRequest()).expect(200);
  return worstTarget(playbackDocument, operationId, {
    headers: {
      'X-SERVICE-Client-Id': tenant.client.clientId,
      'X-SERVICE-Client-Secret': tenant.accessKey,
      Authorization: `Bearer ${session.drm.drmLicenseToken}`,
    },
    parameters: { siteId: [tenant.environment.environmentId], sessionId: [session.sessionId], drmSystem: ['widevine'] },
  });
}

const originOf = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const inFamilies = families(
  playbackDocument,
  operationsOf(playbackDocument).map(({ operationId }) => operationId),
);

test.each(inFamilies)('the worst-case requests for %s do not delay other requests', async (operationId) => {
  const requests = worstRequests(await targetOf(operationId));
  expect(await stallsOf(originOf(), requests)).toEqual([]);
});

test('worst-case JSON and headers do not delay other requests', async () => {
  const clientHeaders = [
    'X-SERVICE-Client-Id',
    'X-SERVICE-Client-Secret',
    'Authorization',
    'Idempotency-Key',
    'Content-Type',
  ];
  const commonHeaders = [
    'X-Forwarded-For',
    'X-Forwarded-Proto',
    'X-Request-Id',
    'Origin',
    'Access-Control-Request-Headers',
  ];
  const requests = worstRequestsOfAny(await targetOf('createPlaybackSession'), [...clientHeaders, ...commonHeaders]);
  expect(await stallsOf(originOf(), requests)).toEqual([]);
});
