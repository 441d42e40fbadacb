import { once } from 'node:events';
import { publishedKeys } from '@multi-drm/contracts';
import supertest, { type Test } from 'supertest';
import { type Playback, type Session, sessionRequest, startPlaybackOnOwnRedis } from './testing/playback';
import { publishBackend } from './testing/published-backend';
import { makeTenant, type PublishedTenant, publishViewer, raiseMark } from './testing/published-tenant';

// Redis has lost publications: it was started from an older copy of its data, or a replica without the latest writes was promoted.

let playback: Playback;
let tenant: PublishedTenant;
let mark = 0;

beforeAll(async () => {
  playback = await startPlaybackOnOwnRedis();
});
beforeEach(async () => {
  tenant = makeTenant();
  tenant.client.permissions.push('sessions:evaluate');
  await playback.publish(tenant);
  await publishBackend(playback.redis, tenant, 'widevine', { type: 'clearkey' });
  mark += 10;
  await raiseMark(playback.redis, mark);
  playback.logged.length = 0;
});

const subject = 'viewer-1';
const create = (playing = playback) => playing.create(tenant, sessionRequest({ subject }));
const start = async (): Promise<Session> => (await create().expect(200)).body;
/** With a challenge that is none. */
const license = (session: Session) => playback.license(session, Buffer.from([8, 4]));

/** Without a message, like everything that a copy takes back. */
const takeBack = (current: number | null) =>
  current === null
    ? playback.redis.hdel(publishedKeys.deployment, 'mark')
    : playback.redis.hset(publishedKeys.deployment, { mark: current });

async function reconnect(): Promise<void> {
  const ready = once(playback.redis, 'ready');
  playback.redis.disconnect(true);
  await ready;
}

async function expectUnavailable(call: Test): Promise<void> {
  const { body, status, headers } = await call;
  expect({ status, ...body }).toMatchObject({ status: 503, code: 'service_unavailable', retryable: true });
  expect(headers['retry-after']).toBe('1');
}

test.each([9, null])(
  'a lower mark (%j less) on a new connection: 503 for all but a release by a player, until it is raised',
  async (less) => {
    const session = await start();
    const other = await start();
    // Some call needs the names of the viewers' keys before; in the service, the sweep does.
    await playback.asPlayer(session, 'renew').expect(200);
    await takeBack(less === null ? null : mark - less);
    await reconnect();
    // From the first call on, although it reads only what is in memory.
    await expectUnavailable(playback.asPlayer(session, 'renew'));
    await expectUnavailable(license(session));
    await expectUnavailable(create());
    await expectUnavailable(playback.asClient(tenant, 'get', '/sessions'));
    await expectUnavailable(
      playback.asClient(tenant, 'post', '/sessions/evaluations').send(sessionRequest({ subject })),
    );
    await expectUnavailable(playback.asClient(tenant, 'post', `/sessions/${session.sessionId}/release`));
    const { body } = await supertest(playback.app).get('/api/v1/health/ready').expect(503);
    expect(body.checks).toMatchObject({ redis: { status: 'up' }, published: { status: 'down' } });
    await playback.asPlayer(other, 'release').expect(204);
    await raiseMark(playback.redis, mark);
    await license(session).expect(422);
    await playback.asPlayer(session, 'renew').expect(200);
    await create().expect(200);
    await supertest(playback.app).get('/api/v1/health/ready').expect(200);
    expect(
      playback.logged.map(({ message }) => message).filter((message) => /lost publications/.test(message)),
    ).toEqual([
      'Redis has lost publications: nothing is served until the control plane has written them again',
      'Redis has the lost publications again',
    ]);
  },
);

test('without a new connection, the next create notices a lower mark, and its reservation is undone', async () => {
  await start();
  await takeBack(mark - 1);
  await expectUnavailable(create());
  await raiseMark(playback.redis, mark);
  const { body } = await playback.asClient(tenant, 'get', '/sessions').expect(200);
  expect(body.items).toHaveLength(1);
});

test('the same mark on a new connection, as after a failover that lost no publication, refuses nothing', async () => {
  const session = await start();
  await reconnect();
  await license(session).expect(422);
  await playback.asPlayer(session, 'renew').expect(200);
  await create().expect(200);
});

test('a mark that is announced while Redis answers with the former one refuses nothing', async () => {
  const { redis } = playback;
  const read = redis.hmget.bind(redis) as (...asked: unknown[]) => Promise<(string | null)[]>;
  const late = jest.spyOn(redis, 'hmget').mockImplementation((async (...asked: unknown[]) => {
    const answer = await read(...asked);
    mark += 1;
    await raiseMark(redis, mark);
    return answer;
  }) as unknown as typeof redis.hmget);
  await create().expect(200);
  late.mockRestore();
});

test.each(['', '-1', 'many', '1e99'])('the announced mark %j is ignored', async (text) => {
  await playback.redis.publish('published:mark', text);
  await publishViewer(playback.redis, tenant, { subject: 'another' });
  await create().expect(200);
});
