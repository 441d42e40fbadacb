import { randomUUID } from 'node:crypto';
import { type Playback, type Session, sessionRequest, startPlayback } from '../testing/playback';
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

const subject = 'lms:3f9c:17';
const create = (overrides: object) => playback.create(tenant, sessionRequest({ subject, ...overrides }));
const stateOf = async (session: Session) => (await playback.asPlayer(session, 'renew')).body.code ?? 'live';

describe('replacesSessionId', () => {
  test('admits the new session at the limit and releases the replaced one', async () => {
    const { body: first } = await create({}).expect(200);
    const { body: second } = await create({ replacesSessionId: first.sessionId }).expect(200);
    expect(await stateOf(first)).toBe('session_released');
    expect(await stateOf(second)).toBe('live');
  });

  test('of an unknown id frees no slot', async () => {
    await create({ replacesSessionId: randomUUID() }).expect(200);
    await create({ replacesSessionId: randomUUID() }).expect(429);
  });

  test('of a session whose create is overtaken: the late create gets 409 and holds no slot', async () => {
    const overtaken = randomUUID();
    const { body: next } = await create({ replacesSessionId: overtaken }).expect(200);
    expect((await create({ sessionId: overtaken }).expect(409)).body.code).toBe('session_id_reused');
    const { body } = await playback.asClient(tenant, 'get', `/sessions?subject=${subject}`).expect(200);
    expect(body.items.map(({ sessionId }: Session) => sessionId)).toEqual([next.sessionId]);
  });

  test('of an unknown id in a create that is refused leaves the id free', async () => {
    const { body: first } = await create({}).expect(200);
    const sessionId = randomUUID();
    await create({ replacesSessionId: sessionId }).expect(429);
    await playback.asPlayer(first, 'release').expect(204);
    await create({ sessionId }).expect(200);
  });

  test("of another subject's session is ignored", async () => {
    const { body: others } = await create({ subject: 'somebody else' }).expect(200);
    await create({ replacesSessionId: others.sessionId }).expect(200);
    expect(await stateOf(others)).toBe('live');
  });

  test('equal to sessionId is rejected', async () => {
    const sessionId = randomUUID();
    const { body } = await create({ sessionId, replacesSessionId: sessionId }).expect(400);
    expect(body.errors).toEqual({ replacesSessionId: ['must differ from sessionId'] });
  });

  test('keeps the old session if the create is refused', async () => {
    const { body: first } = await create({}).expect(200);
    await create({ replacesSessionId: first.sessionId, contentId: 'never registered' }).expect(404);
    await create({ replacesSessionId: first.sessionId, sessionId: first.sessionId }).expect(400);
    expect(await stateOf(first)).toBe('live');
  });

  test('has no further effect when the create is repeated', async () => {
    const { body: first } = await create({}).expect(200);
    const request = { sessionId: randomUUID(), replacesSessionId: first.sessionId };
    const { body: second } = await create(request).expect(200);
    const { body: repeat } = await create(request).expect(200);
    expect(repeat.expiresAt).toBe(second.expiresAt);
    expect(await stateOf(second)).toBe('live');
  });
});

describe('evict-oldest', () => {
  const licensePolicy = { maximumConcurrentStreams: 2, atStreamLimit: 'evict-oldest' };

  test('ends the oldest session, whose next renewal gets session_evicted', async () => {
    const sessions: Session[] = [];
    for (let i = 0; i < 4; i += 1) sessions.push((await create({ licensePolicy }).expect(200)).body);
    expect(await Promise.all(sessions.map(stateOf))).toEqual(['session_evicted', 'session_evicted', 'live', 'live']);
  });

  test('a repeat evicts nothing more', async () => {
    const { body: first } = await create({ licensePolicy }).expect(200);
    const request = { licensePolicy, sessionId: randomUUID() };
    await create(request).expect(200);
    await create(request).expect(200);
    expect(await stateOf(first)).toBe('live');
  });
});

test('50 parallel creates with the same sessionId take one slot and get the same response', async () => {
  const request = sessionRequest({ subject, sessionId: randomUUID() });
  const answers = await Promise.all(Array.from({ length: 50 }, () => playback.create(tenant, request)));
  expect(new Set(answers.map(({ status, body }) => `${status} ${body.sessionId} ${body.expiresAt}`)).size).toBe(1);
  expect(answers[0]?.status).toBe(200);
  const { body } = await playback.asClient(tenant, 'get', `/sessions?subject=${subject}`).expect(200);
  expect(body.items).toHaveLength(1);
});

test('50 parallel creates with the same Idempotency-Key take one slot and get the same response', async () => {
  const request = sessionRequest({ subject });
  const key = randomUUID();
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => playback.create(tenant, request).set('Idempotency-Key', key)),
  );
  expect(new Set(answers.map(({ status, body }) => `${status} ${body.sessionId} ${body.expiresAt}`)).size).toBe(1);
  expect(answers[0]?.status).toBe(200);
});

test('of 50 parallel creates with different ids and a limit of 3, exactly 3 succeed', async () => {
  tenant = makeTenant({ maximumConcurrentStreams: 3 });
  await playback.publish(tenant);
  const answers = await Promise.all(Array.from({ length: 50 }, () => create({ sessionId: randomUUID() })));
  const statuses = answers.map(({ status }) => status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(3);
  expect(statuses.filter((status) => status === 429)).toHaveLength(47);
});
