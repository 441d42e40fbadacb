import { randomUUID } from 'node:crypto';
import { isRedisFull, primariesOf } from '@multi-drm/service-kit';
import { startRedis, startRedisCluster } from '@multi-drm/test-kit';
import { Cluster, Redis } from 'ioredis';
import { CountedSlots } from './counted-slots';
import { OrganizationStreams } from './organization-streams';
import { OrganizationUsage } from './organization-usage';
import { inShort, readAppended } from './testing/appended-events';
import {
  activeIds,
  again,
  another,
  ended,
  exactClock,
  expectOutcome,
  flushScripts,
  newRequest,
  recordOf,
  redisKinds,
  rememberedUntil,
  reserveMany,
  storeOn,
  type TestClient,
  untilRedisTime,
} from './testing/test-store';

describe.each(redisKinds)('on %s with full memory', (kind) => {
  let server: { url: string; stop(): Promise<void> };
  let client: TestClient;
  beforeAll(async () => {
    server = kind === 'a cluster' ? await startRedisCluster() : await startRedis();
    client = kind === 'a cluster' ? new Cluster([server.url]) : new Redis(server.url);
  });
  afterEach(() => setMaxmemory(0));
  afterAll(async () => {
    client.disconnect();
    await server.stop();
  });

  async function setMaxmemory(bytes: number): Promise<void> {
    await Promise.all(primariesOf(client).map((node) => node.config('SET', 'maxmemory', bytes)));
  }
  const fill = () => setMaxmemory(1);
  const refusedAsFull = async (call: Promise<unknown>) =>
    expect(isRedisFull(await call.catch((error) => error))).toBe(true);
  const call = { callsPerMinute: null, maximumSessionMilliseconds: 86_400_000 };

  it('no session starts or replaces another, and nothing changes', async () => {
    const store = storeOn(client);
    const [oldest, second] = await reserveMany(store, 2, { limit: 2, atStreamLimit: 'evict-oldest' });
    const short = newRequest({ limit: 1, lifetimeMilliseconds: 20 });
    const { expiresAt } = expectOutcome(await store.reserve(short), 'reserved');
    await untilRedisTime(client, expiresAt);
    await fill();
    await refusedAsFull(store.reserve(newRequest()));
    await refusedAsFull(store.reserve(another(oldest)));
    await refusedAsFull(store.reserve(another(oldest, { replacesSessionId: oldest.sessionId })));
    await refusedAsFull(store.reserve(again(oldest)));
    // Removes an expired slot first, which Redis would allow.
    await refusedAsFull(store.reserve(another(short)));
    expect(await activeIds(store, oldest)).toEqual([oldest.sessionId, second?.sessionId]);
    await setMaxmemory(0);
    expectOutcome(await store.reserve(another(short)), 'reserved');
  });

  it('active sessions are found, listed, counted, renewed, licensed, released and undone, even with scripts that are not loaded', async () => {
    const store = storeOn(client);
    const [session, other, last] = await reserveMany(store, 3, { lifetimeMilliseconds: 60_000 });
    const { environmentId, subject } = session;
    await fill();
    await flushScripts(client);
    expect(await store.find(session)).toMatchObject({ state: 'reserved' });
    expect(await store.countOf(environmentId, subject)).toBe(3);
    expect((await store.listEnvironment(environmentId, { limit: 10 })).sessions).toHaveLength(3);
    expectOutcome(await store.renew({ ...session, ...call, lifetimeMilliseconds: 3_600_000 }), 'renewed');
    expectOutcome(await store.countLicenseRequest({ ...session, ...call }), 'counted');
    if (other !== undefined) expect(await store.release(ended(other))).toBe('released');
    if (last !== undefined) await store.undo(last);
    expect(await activeIds(store, session)).toEqual([session.sessionId]);
    expect(inShort(await readAppended(client, session)).slice(3)).toEqual([
      `ended ${other?.sessionId} released`,
      `ended ${last?.sessionId} undone`,
    ]);
  });

  it('the streams of an organization are counted, while its sessions are renewed and released', async () => {
    const clock = exactClock();
    const streams = new OrganizationStreams(client, clock);
    const failures: unknown[] = [];
    const onFailure = (error: unknown) => failures.push(error);
    const recount = () => Promise.reject(new Error('there is nothing to put right'));
    const organization = { organizationId: randomUUID(), maximumConcurrentStreams: 2 };
    const usage = () => new OrganizationUsage({ streams, recount, onFailure });
    const organizationOf = async () => organization;
    const slots = new CountedSlots(storeOn(client), { streams, organizationOf, onFailure });
    const [first, second] = [newRequest(), newRequest()];
    for (const request of [first, second]) expectOutcome(await slots.reserve(request), 'reserved');
    await fill();
    expect(await usage().isFull(organization, first.environmentId)).toBe(true);
    expectOutcome(await slots.renew({ ...first, ...call, lifetimeMilliseconds: 3_600_000 }), 'renewed');
    expect(await slots.release(ended(second))).toBe('released');
    while (await usage().isFull(organization, first.environmentId));
    expect(failures.every(isRedisFull)).toBe(true);
  });

  it('releasing or undoing an unknown id stores nothing', async () => {
    const store = storeOn(client);
    const request = newRequest();
    expectOutcome(await store.reserve(another(request)), 'reserved');
    await fill();
    expect(await store.release(ended(request))).toBe('unknown');
    expect(await store.undo(request)).toBe('unchanged');
    await refusedAsFull(store.remember(request, null));
    expect(await recordOf(client, request)).toBeNull();
    expect(await rememberedUntil(client, request)).toBeNull();
  });
});
