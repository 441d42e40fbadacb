import { startRedis, startRedisCluster } from '@multi-drm/test-kit';
import { Cluster, Redis } from 'ioredis';
import { ExpiredSessions } from './expired-sessions';
import { slotKeys } from './keys';
import { RedisClock } from './redis-clock';
import type { ReserveRequest } from './slot-store';
import { buckets } from './testing/subject-buckets';
import {
  addToRecord,
  again,
  another,
  copySession,
  emptyRedis,
  ended,
  exactClock,
  expectOutcome,
  formerBuckets,
  formerRequest,
  keysOf,
  neighbourOf,
  newRequest,
  recordOf,
  redisKinds,
  redisTime,
  rememberedUntil,
  slotSettings,
  slotsOf,
  storeOn,
  subjectState,
  type TestClient,
  toSecond,
  untilRedisTime,
} from './testing/test-store';

// On servers of its own, because a sweep ends the expired sessions of everybody in a bucket.
describe.each(redisKinds)('sweeping expired sessions on %s', (kind) => {
  let server: { url: string; stop(): Promise<void> };
  let client: TestClient;
  let failures: unknown[];
  beforeAll(async () => {
    server = kind === 'a cluster' ? await startRedisCluster() : await startRedis();
    client = kind === 'a cluster' ? new Cluster([server.url]) : new Redis(server.url);
  });
  beforeEach(async () => {
    failures = [];
    // Sessions of two tests can be in the same bucket.
    await emptyRedis(client);
  });
  afterEach(() => expect(failures).toEqual([]));
  afterAll(async () => {
    client.disconnect();
    await server.stop();
  });

  const bucketOf = ({ environmentId, subject }: ReserveRequest) => buckets.bucketOf(environmentId, subject);
  async function sweep(request: ReserveRequest, clockIsAheadBy = 0): Promise<void> {
    const clock = new RedisClock(() => Date.now() + clockIsAheadBy);
    const onFailure = (error: unknown) => failures.push(error);
    await new ExpiredSessions({ client, clock, ...slotSettings, onFailure }).sweep([bucketOf(request)], buckets);
  }

  /** Reserves a session and resolves when it has expired. */
  async function expire(request: ReserveRequest): Promise<Date> {
    const { expiresAt } = expectOutcome(
      await storeOn(client).reserve({ ...request, lifetimeMilliseconds: 20 }),
      'reserved',
    );
    await untilRedisTime(client, expiresAt);
    return expiresAt;
  }

  it('removes an abandoned session from all keys and remembers its id for the retention after expiresAt', async () => {
    const store = storeOn(client);
    const request = newRequest();
    const expiresAt = await expire(request);
    const { slots, active, expiring } = keysOf(request);
    expect(await recordOf(client, request)).not.toBeNull();
    await sweep(request);
    for (const key of [slots, active, expiring]) expect(await client.exists(key)).toBe(0);
    expect(await rememberedUntil(client, request)).toBe(toSecond(expiresAt.getTime() + 86_400_000));
    expect((await store.find(request)).state).toBe('expired');
  });

  it('removes a session under a former hash key from the bucket that it was in', async () => {
    const request = formerRequest();
    const { environmentId, subject } = request;
    await expire(request);
    const keys = slotKeys(formerBuckets, environmentId, subject);
    expect(await client.exists(keys.slots)).toBe(1);
    const clock = exactClock();
    const onFailure = (error: unknown) => failures.push(error);
    const sweep = new ExpiredSessions({ client, clock, ...slotSettings, onFailure });
    await sweep.sweep([formerBuckets.bucketOf(environmentId, subject)], buckets);
    for (const key of [keys.slots, keys.active, keys.expiring]) expect(await client.exists(key)).toBe(0);
  });

  it('changes no outcome of a later call', async () => {
    const store = storeOn(client);
    const limits = { callsPerMinute: null, maximumSessionMilliseconds: 86_400_000, lifetimeMilliseconds: 60_000 };
    const outcomes = async (request: ReserveRequest) => [
      await store.reserve(again(request)),
      await store.reserve(again(request, { requestHash: 'of-another-request' })),
      await store.renew({ ...request, ...limits }),
      await store.countLicenseRequest({ ...request, ...limits }),
      await store.release(ended(request)),
      await store.remember(request, null),
      await store.undo(request),
      (await store.find(request)).state,
    ];
    const request = newRequest();
    await expire(request);
    const before = await outcomes(request);
    await sweep(request);
    expect(await recordOf(client, request)).toBeNull();
    expect(await outcomes(request)).toEqual(before);
  });

  it('leaves active sessions, and comes back when the next one has expired', async () => {
    const [short, other] = [newRequest(), newRequest()];
    const long = another(short);
    const next = { ...another(short), subject: neighbourOf(short) };
    const store = storeOn(client);
    expectOutcome(await store.reserve(long), 'reserved');
    expectOutcome(await store.reserve(other), 'reserved');
    await expire(short);
    await sweep(short);
    expect(await subjectState(client, short)).toEqual(slotsOf(long.sessionId));
    const { expiring } = keysOf(short);
    const member = `${long.sessionId}:${long.subject}`;
    expect(await client.zscore(expiring, short.environmentId)).toBe(await client.zscore(keysOf(long).active, member));
    await expire(next);
    await sweep(short);
    expect(await subjectState(client, next)).toEqual(slotsOf());
    expect(await subjectState(client, short)).toEqual(slotsOf(long.sessionId));
    expect(await subjectState(client, other)).toEqual(slotsOf(other.sessionId));
  });

  it('leaves a session that is active by the clock of Redis, even if the clock of the process is ahead', async () => {
    const request = newRequest({ lifetimeMilliseconds: 60_000 });
    const { expiresAt } = expectOutcome(await storeOn(client).reserve(request), 'reserved');
    await sweep(request, 3_600_000);
    expect(await subjectState(client, request)).toEqual(slotsOf(request.sessionId));
    expect(await client.zscore(keysOf(request).expiring, request.environmentId)).toBe(String(expiresAt.getTime()));
  });

  it('leaves a session that was renewed after it was found in the list', async () => {
    const request = newRequest();
    await expire(request);
    await addToRecord(client, request, 'expiresAt', 60_000);
    await sweep(request);
    expect(await subjectState(client, request)).toEqual(slotsOf(request.sessionId));
  });

  it('forgets an environment whose sessions in the bucket were all released', async () => {
    const request = newRequest();
    const store = storeOn(client);
    const { expiresAt } = expectOutcome(await store.reserve({ ...request, lifetimeMilliseconds: 50 }), 'reserved');
    expect(await store.release(ended(request))).toBe('released');
    expect(await client.exists(keysOf(request).expiring)).toBe(1);
    await untilRedisTime(client, expiresAt);
    await sweep(request);
    expect(await client.exists(keysOf(request).expiring)).toBe(0);
  });

  it('removes slots without a record', async () => {
    const request = newRequest();
    await expire(request);
    await client.del(keysOf(request).slots);
    await sweep(request);
    expect(await subjectState(client, request)).toEqual(slotsOf());
    expect(await client.exists(keysOf(request).expiring)).toBe(0);
  });

  it('ends many sessions in portions, so that Redis can serve others in between', async () => {
    const request = newRequest();
    expectOutcome(await storeOn(client).reserve(request), 'reserved');
    const expired = Array.from({ length: 80 }, (_, index) => `expired-session-${index}`);
    await copySession(client, request, expired, -1);
    await client.zadd(keysOf(request).expiring, 1, request.environmentId);
    await sweep(request);
    expect((await subjectState(client, request)).active).toHaveLength(31);
    await sweep(request);
    expect(await subjectState(client, request)).toEqual(slotsOf(request.sessionId));
  });

  it('twice at the same time ends each session once', async () => {
    const request = newRequest();
    const expiresAt = await expire(request);
    await Promise.all([sweep(request), sweep(request), sweep(request)]);
    expect(await subjectState(client, request)).toEqual(slotsOf());
    expect(await rememberedUntil(client, request)).toBe(toSecond(expiresAt.getTime() + 86_400_000));
  });

  it('does not remember what would have been forgotten by now, if nothing was swept for days', async () => {
    const request = newRequest();
    expectOutcome(await storeOn(client).reserve(request), 'reserved');
    const old = another(request);
    await copySession(client, request, [old.sessionId], -2 * 86_400_000);
    await client.zadd(keysOf(request).expiring, (await redisTime(client)) - 2 * 86_400_000, request.environmentId);
    await sweep(request);
    expect(await subjectState(client, request)).toEqual(slotsOf(request.sessionId));
    expect(await rememberedUntil(client, old)).toBeNull();
    expectOutcome(await storeOn(client).reserve(again(old)), 'reserved');
  });

  it('reports a bucket that cannot be read, and sweeps the others', async () => {
    const other = newRequest();
    let request = newRequest();
    while (bucketOf(request) === bucketOf(other)) request = newRequest();
    await expire(other);
    const { expiring } = keysOf(request);
    await client.set(expiring, 'not a sorted set');
    const clock = exactClock();
    const sweep = new ExpiredSessions({ client, clock, ...slotSettings, onFailure: (error) => failures.push(error) });
    await sweep.sweep([bucketOf(request), bucketOf(other)], buckets);
    expect(String(failures.splice(0))).toContain('WRONGTYPE');
    expect(await subjectState(client, other)).toEqual(slotsOf());
  });
});
