import { playbackDocument } from '@multi-drm/contracts';
import { operationsOf } from '@multi-drm/service-kit';
import { type DocumentExample, differences, documentExamples, startRedis, type TestRedis } from '@multi-drm/testing';
import supertest, { type Response } from 'supertest';
import { type Playback, startPlayback } from './testing/playback';
import { publishBackend, publishContentKeys } from './testing/published-backend';
import { makeContent, makeTenant, type PublishedTenant } from './testing/published-tenant';

let redis: TestRedis;
let playback: Playback;

const examples = documentExamples(playbackDocument);
const exampleOf = (operationId: string): DocumentExample => {
  const found = examples.find((example) => example.operationId === operationId);
  if (found === undefined) throw new Error(`${operationId} has no example`);
  return found;
};

/** The tenant of the examples: the environment, content and key have the ids used in the document. */
function exampleTenant(): PublishedTenant {
  const tenant = makeTenant({ heartbeatSeconds: 20 });
  const { SiteId } = playbackDocument.components.parameters as unknown as { SiteId: { example: string } };
  const environmentId = SiteId.example;
  return {
    ...tenant,
    environment: { ...tenant.environment, environmentId },
    content: {
      ...makeContent(environmentId, 'demo-movie'),
      keys: [{ keyId: '0a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d', trackTypes: ['AUDIO', 'SD', 'HD'], encryptedKey: null }],
    },
  };
}
const tenant = exampleTenant();

beforeAll(async () => {
  // A Redis of its own, because it is emptied before each example.
  redis = await startRedis();
  playback = await startPlayback({ redisUrl: redis.url });
});
beforeEach(async () => {
  await playback.redis.flushall();
  await playback.publish(tenant);
  await publishBackend(playback.redis, tenant, 'widevine', { type: 'clearkey' });
  await publishBackend(playback.redis, tenant, 'fairplay', null, { certificate: 'MAA=' });
  await publishContentKeys(playback.redis, tenant);
});
afterAll(() => redis.stop());

function send({ method, url, headers, body }: DocumentExample, credential: Record<string, string>): Promise<Response> {
  const call = supertest(playback.app)[method](url).set(credential).set(headers);
  if (body === undefined) return call.then((response) => response);
  return call
    .set('Content-Type', body.type)
    .send(typeof body.value === 'string' ? Buffer.from(body.value) : (body.value as object))
    .then((response) => response);
}

const apiClient = () => ({
  'X-SERVICE-Client-Id': tenant.client.clientId,
  'X-SERVICE-Client-Secret': tenant.accessKey,
});

/** The create example, for a session with the id that the examples of other operations name. */
function createNamedSession(): DocumentExample {
  const example = exampleOf('createPlaybackSession');
  const { SessionId } = playbackDocument.components.parameters as unknown as { SessionId: { example: string } };
  const value = { ...(example.body?.value as object), sessionId: SessionId.example };
  return { ...example, body: { type: 'application/json', value } };
}

/** Operations on a session: it exists when they are called. */
const onASession = ['listPlaybackSessions', 'renewPlaybackSession', 'releasePlaybackSession', 'acquireLicense'];

test.each(examples.map((example) => [example.operationId, example] as const))(
  'the example of %s, sent unchanged, gets the response that the document shows',
  async (operationId, example) => {
    const created = onASession.includes(operationId) ? await send(createNamedSession(), apiClient()) : undefined;
    const credential =
      operationId === 'acquireLicense' ? { Authorization: `Bearer ${created?.body.drm.drmLicenseToken}` } : apiClient();
    const { status, body, type } = await send(example, credential);
    expect(body.code && [body.code, body.detail, body.errors]).toBeUndefined();
    expect(status).toBe(example.status);
    if (type === 'application/json') expect(differences(body, example.answer)).toEqual([]);
  },
);

test('every operation has an example of each request body and of each JSON response', () => {
  const silent = examples.filter(({ status, answer }) => status !== 204 && answer === undefined);
  expect(silent.map(({ operationId }) => operationId)).toEqual(['getFairPlayCertificate']); // bytes
  const withBody = examples.filter(({ body }) => body !== undefined).map(({ operationId }) => operationId);
  const takeABody = operationsOf(playbackDocument).filter(({ body }) => body !== 'none');
  expect(withBody.sort()).toEqual(takeABody.map(({ operationId }) => operationId).sort());
});
