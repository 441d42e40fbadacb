import { type Playback, sessionRequest, startPlayback } from '../testing/playback';
import { makeTenant, type PublishedTenant } from '../testing/published-tenant';

let playback: Playback;
let tenant: PublishedTenant;

beforeAll(async () => {
  playback = await startPlayback();
});
beforeEach(async () => {
  tenant = makeTenant({ maximumConcurrentStreams: null });
  await playback.publish(tenant);
});

const list = (query: string) => playback.asClient(tenant, 'get', `/sessions${query}`);

async function start(overrides: object = {}) {
  return (await playback.create(tenant, sessionRequest(overrides)).expect(200)).body;
}

/** Reads all pages. */
async function all(query: string): Promise<{ sessionId: string }[]> {
  const items = [];
  for (let cursor = ''; ; ) {
    const { body } = await list(`${query}${cursor}`).expect(200);
    items.push(...body.items);
    if (body.nextCursor === null) return items;
    cursor = `&cursor=${encodeURIComponent(body.nextCursor)}`;
  }
}

test('an active session is listed with all its details', async () => {
  const platformCapabilities = { clientPlatform: 'web' };
  const reporting = { course: { id: 7, tags: ['a', null] } };
  const details = { subject: 'lms:1', applicationId: 'lms', attemptId: 'attempt-7', reporting, platformCapabilities };
  const session = await start(details);
  const { body } = await list('').expect(200);
  expect(body).toEqual({
    items: [
      {
        sessionId: session.sessionId,
        subject: 'lms:1',
        contentId: 'lesson-0042',
        contentType: 'vod',
        drmSystem: 'widevine',
        applicationId: 'lms',
        clientPlatform: 'web',
        attemptId: 'attempt-7',
        reporting,
        startedAt: expect.any(String),
        expiresAt: session.expiresAt,
        licenseRequests: 0,
      },
    ],
    nextCursor: null,
  });
});

test('reporting and attemptId that were not sent are null', async () => {
  await start();
  expect((await list('').expect(200)).body.items).toMatchObject([{ attemptId: null, reporting: null }]);
});

test("a viewer's sessions are listed oldest first, in pages", async () => {
  const subject = 'lms:1';
  const started = [];
  for (let i = 0; i < 5; i += 1) started.push((await start({ subject })).sessionId);
  await start({ subject: 'lms:2' });
  const items = await all(`?subject=${subject}&limit=2`);
  expect(items.map(({ sessionId }) => sessionId)).toEqual(started);
});

test('all sessions of the environment are listed once, and none of another environment', async () => {
  const started = [];
  for (let i = 0; i < 30; i += 1) started.push((await start()).sessionId);
  const other = makeTenant();
  await playback.publish(other);
  await playback.create(other, sessionRequest()).expect(200);
  const items = await all('?limit=7');
  expect(items.map(({ sessionId }) => sessionId).sort()).toEqual(started.sort());
});

test.each([
  ['a cursor that no page returned', '?cursor=bm9uc2Vuc2U', { cursor: ['is not a cursor of this list'] }],
  ['a limit of 0', '?limit=0', { limit: [expect.any(String)] }],
  ['a limit of 201', '?limit=201', { limit: [expect.any(String)] }],
  ['an empty subject', '?subject=', { subject: [expect.any(String)] }],
  ['an unknown parameter', '?offset=1', { offset: ['is not a known parameter'] }],
])('%s is refused', async (_case, query, errors) => {
  const { body } = await list(query).expect(400);
  expect(body).toMatchObject({ code: 'invalid_request', errors });
});

test("a cursor of the environment's list is not valid for a viewer's list", async () => {
  await start({ subject: 'lms:1' });
  await start({ subject: 'lms:1' });
  const { body } = await list('?subject=lms:1&limit=1').expect(200);
  await list(`?cursor=${encodeURIComponent(body.nextCursor)}`).expect(400);
});

test('listing requires the permission sessions:read', async () => {
  tenant.client.permissions = ['license-tokens:create'];
  await playback.publish(tenant);
  expect((await list('').expect(403)).body.code).toBe('permission_denied');
});
