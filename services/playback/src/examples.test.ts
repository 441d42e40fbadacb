import { playbackDocument } from '@multi-drm/contracts';
import { operationsOf } from '@multi-drm/service-kit';
import { type DocumentExample, differences, startRedis, type TestRedis } from '@multi-drm/test-kit';
import {
  apiClientOf,
  exampleOf,
  exampleSessionId,
  examples,
  exampleTenant,
  publishExamples,
  sendExample,
} from './testing/example-requests';
import { type Playback, startPlayback } from './testing/playback';

let redis: TestRedis;
let playback: Playback;
const tenant = exampleTenant();
const client = apiClientOf(tenant);

beforeAll(async () => {
  // A Redis of its own, because it is emptied before each example.
  redis = await startRedis();
  playback = await startPlayback({ redisUrl: redis.url });
});
beforeEach(async () => {
  await playback.redis.flushall();
  await publishExamples(playback, tenant);
});
afterAll(() => redis.stop());

/** The create example, for a session with the id that the examples of other operations name. */
function createNamedSession(): DocumentExample {
  const example = exampleOf('createPlaybackSession');
  const value = { ...(example.body?.value as object), sessionId: exampleSessionId };
  return { ...example, body: { type: 'application/json', value } };
}

/** Before every other operation, a session is created. */
const withoutSession = ['createPlaybackSession', 'evaluatePlaybackSession'];

test.each(examples.map((example) => [example.operationId, example] as const))(
  'the example of %s, sent unchanged, gets the response that the document shows',
  async (operationId, example) => {
    const created = withoutSession.includes(operationId)
      ? undefined
      : await sendExample(playback, createNamedSession(), client);
    const credential =
      operationId === 'acquireLicense' ? { Authorization: `Bearer ${created?.body.drm.drmLicenseToken}` } : client;
    const { status, body, type } = await sendExample(playback, example, credential);
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
