import { randomUUID } from 'node:crypto';
import type { ControlPlaneSchemas } from '@multi-drm/contracts';
import { backendDescriptors } from '@multi-drm/license-backends';
import { OrganizationStreams, RedisClock, streamMember } from '@multi-drm/slots';
import { type DocumentExample, differences } from '@multi-drm/test-kit';
import { operatorKey, startControlPlane, type TestControlPlane } from './testing/control-plane';
import { exampleOwnerKey, putExampleRecords } from './testing/example-records';
import { type OperationFacts, operationFacts } from './testing/operation-facts';
import { bearer } from './testing/records';
import { countStream, slotsOf, startSession, storeSession } from './testing/sessions';

let controlPlane: TestControlPlane;

/** A receiver that has the event. */
const webhookSender = {
  send: async () => ({
    succeeded: true,
    status: 204,
    error: null,
    answer: null,
    retryAfter: undefined,
    milliseconds: 31,
  }),
};

beforeAll(async () => {
  controlPlane = await startControlPlane({ webhookSender });
});

/** Whether the records are still those used in the examples. */
let asShown = false;
beforeEach(async () => {
  if (!asShown) await putExampleRecords(controlPlane.prisma, controlPlane.clock.now);
  asShown = true;
});

/** The organization's owner key, or the operator's where only the operator may call. */
function credentialsFor({ role }: OperationFacts) {
  if (role === 'everybody') return {};
  return bearer(role === 'operator' ? operatorKey : exampleOwnerKey);
}

async function send(operation: OperationFacts, { method, url, headers, body }: DocumentExample) {
  const credentials = credentialsFor(operation);
  if (operation.path.endsWith('/restore')) {
    await controlPlane.api.delete(url.replace('/restore', '')).set(credentials).expect(204);
  }
  if (operation.operationId.startsWith('terminate')) {
    // One with the id of the stored session.
    const { sessionId, subject, environmentId } = await controlPlane.prisma.session.findFirstOrThrow();
    await startSession(controlPlane, environmentId, { sessionId, subject });
  }
  const stream = operation.operationId === 'getEnvironmentLive' ? await startStream() : undefined;
  const answer = await controlPlane.api[method](url)
    .set(credentials)
    .set(headers)
    .send(body?.value as object | undefined);
  await stream?.end();
  return answer;
}

/** Starts a stream of the stored environment, as playback reports it. */
async function startStream() {
  const { prisma, redis } = controlPlane;
  const { environmentId } = await prisma.session.findFirstOrThrow();
  const { id: organizationId } = await prisma.organization.findFirstOrThrow();
  const session = { environmentId, subject: 'viewer-18', sessionId: randomUUID() };
  const { reservationId } = await startSession(controlPlane, environmentId, session);
  await countStream(controlPlane, organizationId, session);
  await storeSession(prisma, environmentId, { ...session, reservationId, endedAt: null });
  return {
    end: async () => {
      const { store } = await slotsOf(controlPlane);
      await store.release({ ...session, reservationId: null, reason: 'ended' });
      await new OrganizationStreams(redis, new RedisClock(Date.now)).remove(organizationId, [streamMember(session)]);
      asShown = false;
    },
  };
}

const examples = operationFacts.flatMap((operation) =>
  operation.examples.map((example) => [`${example.operationId}: ${example.name}`, operation, example] as const),
);

test.each(examples)(
  'the example of %s, sent unchanged, gets the response in the document',
  async (_, operation, example) => {
    asShown = example.method === 'get';
    const { status, body, headers } = await send(operation, example);
    expect(status < 400 || [body.code, body.detail, body.errors]).toBe(true);
    expect(status).toBe(example.status);
    expect(headers['content-type']).toBe(status === 204 ? undefined : 'application/json; charset=utf-8');
    expect(headers['cache-control']).toBe('no-store');
    expect(Object.hasOwn(headers, 'etag')).toBe(operation.hasEtag);
    if (status !== 204) expect(differences(body, example.answer)).toEqual([]);
  },
);

describe.each(examples.filter(([, { method }]) => method === 'get'))('%s', (_, operation, { url }) => {
  test('HEAD has the headers of GET and no body', async () => {
    const get = await controlPlane.api.get(url).set(credentialsFor(operation)).expect(200);
    const head = await controlPlane.api.head(url).set(credentialsFor(operation)).expect(200);
    expect(head.text).toBeUndefined();
    for (const name of ['content-type', 'cache-control', 'etag']) expect(head.headers[name]).toBe(get.headers[name]);
  });

  test('unknown parameters are ignored only for monitoring endpoints', async () => {
    const [path] = url.split('?');
    const { status } = await controlPlane.api.get(`${path}?_=1`).set(credentialsFor(operation));
    expect(status).toBe(operation.calledBy === 'monitors' ? 200 : 400);
  });
});

test('nothing is logged at warn or error while all is well', () => {
  expect(controlPlane.log.filter(({ level }) => level === 'warn' || level === 'error')).toEqual([]);
});

test('every operation has an example of each request body and each JSON response', () => {
  const silent = examples.filter(([, , { status, answer }]) => status !== 204 && answer === undefined);
  expect(silent.map(([name]) => name)).toEqual([]);
  const withoutBody = operationFacts.filter(({ body, exampleBody }) => body !== 'none' && exampleBody === undefined);
  expect(withoutBody.map(({ operationId }) => operationId)).toEqual([]);
});

test('the example of every list contains an element', () => {
  const lists = examples.filter(([, { operationId }]) => operationId.startsWith('list'));
  const empty = lists.filter(([, , { answer }]) => {
    const items = (answer as { items?: unknown[] }).items ?? answer;
    return Array.isArray(items) && items.length === 0;
  });
  expect(empty.map(([name]) => name)).toEqual([]);
});

test('every type of license backend has an example', () => {
  const configured = examples
    .filter(([, { operationId }]) => operationId === 'configureDrmSystem')
    .map(([, , { body }]) => (body?.value as ControlPlaneSchemas['ConfigureDrmSystemRequest'])?.backend?.type);
  expect([...new Set(configured)].sort()).toEqual(Object.keys(backendDescriptors).sort());
});
