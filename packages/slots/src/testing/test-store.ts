import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type EndUserDocument, SubjectBuckets } from '@multi-drm/contracts';
import { primariesOf } from '@multi-drm/service-kit';
import { Cluster, Redis } from 'ioredis';
import { readActiveMember, type SlotKeys, slotKeys } from '../keys';
import { RedisClock } from '../redis-clock';
import { RedisSlotStore, type SlotStoreOptions } from '../redis-slot-store';
import type { ReserveRequest, SessionReference } from '../slot-store';
import { buckets } from './subject-buckets';

export type TestClient = Redis | Cluster;

type RedisKind = 'one Redis' | 'a cluster';

const clusterUrl = process.env.TEST_REDIS_CLUSTER_URL;

/** What the suites run on: the shared Redis, and a cluster if one could be started. */
export const redisKinds: RedisKind[] = clusterUrl ? ['one Redis', 'a cluster'] : ['one Redis'];

/** Connects to a shared Redis. */
export function connect(kind = redisKinds[0], options: { lazyConnect?: boolean } = {}): TestClient {
  if (kind === 'a cluster' && clusterUrl) return new Cluster([clusterUrl], options);
  const url = process.env.TEST_REDIS_URL;
  if (url === undefined) throw new Error('TEST_REDIS_URL is not set');
  return new Redis(url, options);
}

/** Describes what holds on one Redis and on a cluster. The client connects with its first command and is closed after the tests. */
export function describeOnEveryRedis(describeOn: (client: TestClient, kind: RedisKind) => void): void {
  describe.each(redisKinds)('on %s', (kind) => {
    const client = connect(kind, { lazyConnect: true });
    afterAll(() => client.quit());
    describeOn(client, kind);
  });
}

/** Makes every node forget its scripts. */
export async function flushScripts(client: TestClient): Promise<void> {
  await Promise.all(primariesOf(client).map((node) => node.script('FLUSH')));
}

/** Removes everything from a Redis that no other suite uses. */
export async function emptyRedis(client: TestClient): Promise<void> {
  await Promise.all(primariesOf(client).map((node) => node.flushall()));
}

/** The default settings of a store. */
export const slotSettings: SlotStoreOptions = {
  idempotentRepeatSeconds: 120,
  sessionIdRetentionSeconds: 86_400,
  buckets: () => buckets,
  eventBytes: () => 2 ** 24,
};

/** A store with the default settings, unless overridden. */
export function storeOn(client: TestClient, options: Partial<SlotStoreOptions> = {}): RedisSlotStore {
  return new RedisSlotStore(client, { ...slotSettings, ...options });
}

/** A request for a new session of a new subject in a new environment, with no limit and a lifetime of one hour. */
export function newRequest(changes: Partial<ReserveRequest> = {}): ReserveRequest {
  return {
    buckets,
    environmentId: randomUUID(),
    subject: 'lms:3f9c:17',
    sessionId: randomUUID(),
    reservationId: randomUUID(),
    requestHash: 'hash-of-the-request',
    limit: null,
    limitCeiling: null,
    atStreamLimit: 'reject',
    organizationIsFull: false,
    startsAreUsedUp: false,
    replacesSessionId: null,
    lifetimeMilliseconds: 3_600_000,
    details: { contentId: 'lesson-0042', contentType: 'vod', drmSystem: 'widevine' },
    grant: Buffer.from('the policy as it was'),
    ...changes,
  };
}

/** Returns a request for another session of the same subject. */
export function another(request: ReserveRequest, changes: Partial<ReserveRequest> = {}): ReserveRequest {
  return { ...request, sessionId: randomUUID(), reservationId: randomUUID(), ...changes };
}

/** Returns the same request as repeated by a backend: a new call with its own nonce. */
export function again(request: ReserveRequest, changes: Partial<ReserveRequest> = {}): ReserveRequest {
  return { ...request, reservationId: randomUUID(), ...changes };
}

/** Reserves this many sessions for a new subject in sequence; returns the requests, oldest first. */
export async function reserveMany(
  store: RedisSlotStore,
  count: number,
  changes: Partial<ReserveRequest> = {},
): Promise<[ReserveRequest, ...ReserveRequest[]]> {
  const requests: [ReserveRequest, ...ReserveRequest[]] = [newRequest(changes)];
  for (const first of requests) if (requests.length < count) requests.push(another(first));
  for (const request of requests) expectOutcome(await store.reserve(request), 'reserved');
  return requests;
}

/** Publishes a viewer as the control plane does; null removes it. */
export async function publishViewer(
  client: TestClient,
  request: ReserveRequest,
  viewer: Pick<EndUserDocument, 'status' | 'maximumConcurrentStreams'> | null,
): Promise<void> {
  const { environmentId, subject } = request;
  const document = viewer === null ? '' : JSON.stringify({ userId: randomUUID(), environmentId, subject, ...viewer });
  await client.hset(keysOf(request).endUser, { revision: 1, document });
}

/** Returns the ids of the subject's active sessions, oldest first. */
export async function activeIds(
  store: RedisSlotStore,
  { environmentId, subject }: SessionReference,
): Promise<string[]> {
  const { sessions } = await store.listSubject(environmentId, subject, { limit: 1000 });
  return sessions.map(({ sessionId }) => sessionId);
}

/** Returns the release call of a player that has ended its session. */
export function ended(request: ReserveRequest) {
  return { ...request, reason: 'ended' as const };
}

/** Finds another subject of the environment whose keys have the same hash tag. */
export function neighbourOf({ environmentId, subject }: ReserveRequest): string {
  const tag = buckets.hashTagOf(environmentId, subject);
  for (let i = 0; ; i += 1) {
    const candidate = `viewer-${i}`;
    if (candidate !== subject && buckets.hashTagOf(environmentId, candidate) === tag) return candidate;
  }
}

export function keysOf({ environmentId, subject }: SessionReference): SlotKeys {
  return slotKeys(buckets, environmentId, subject);
}

/** The buckets under a former hash key. */
export const formerBuckets = new SubjectBuckets('A'.repeat(43));

/** A request for a session under a former hash key, by which its subject had another bucket. */
export function formerRequest(changes: Partial<ReserveRequest> = {}): ReserveRequest {
  for (let i = 0; ; i += 1) {
    const request = newRequest({ subject: `former-${i}`, ...changes, buckets: formerBuckets });
    const { environmentId, subject } = request;
    if (formerBuckets.bucketOf(environmentId, subject) !== buckets.bucketOf(environmentId, subject)) return request;
  }
}

/** The member of an ended session, or with a reservation id of an undone reservation, in the sorted set of what has ended. */
export function endedMember(request: SessionReference, reservationId?: string): Buffer {
  const identity = `${request.sessionId}:${keysOf(request).slots}`;
  const text = reservationId === undefined ? identity : `:${reservationId}:${identity}`;
  return createHash('sha1').update(text, 'utf8').digest().subarray(0, 16);
}

/** Returns until when an ended session, or an undone reservation, is remembered; null if it is not. */
export async function rememberedUntil(
  client: TestClient,
  request: SessionReference,
  reservationId?: string,
): Promise<number | null> {
  const score = await client.zscore(keysOf(request).ended, endedMember(request, reservationId));
  return score === null ? null : Math.floor(Number(score) / 2 ** 21) * 1000;
}

/** Rounds a time up to a second, as times until when something is remembered are. */
export function toSecond(milliseconds: number): number {
  return Math.ceil(milliseconds / 1000) * 1000;
}

/** Returns the stored record of a session in hexadecimal; null if it has none. */
export async function recordOf(client: TestClient, request: SessionReference): Promise<string | null> {
  return (await client.hgetBuffer(keysOf(request).slots, request.sessionId))?.toString('hex') ?? null;
}

/** Adds to a number in the stored record of a session, by its place. */
export async function addToRecord(
  client: TestClient,
  request: SessionReference,
  place: 'startedAt' | 'expiresAt' | 'minute',
  amount: number,
): Promise<void> {
  const places = { startedAt: 2, expiresAt: 3, minute: 9 };
  const lua = `
    local values = { cmsgpack.unpack(redis.call('HGET', KEYS[1], ARGV[1])) }
    values[tonumber(ARGV[2])] = values[tonumber(ARGV[2])] + tonumber(ARGV[3])
    redis.call('HSET', KEYS[1], ARGV[1], cmsgpack.pack(unpack(values, 1, 13)))
  `;
  await client.eval(lua, 1, keysOf(request).slots, request.sessionId, places[place], amount);
}

/**
 * Copies the record and the slot of a session to many other ids of the same subject. Each starts a microsecond after the one before; all
 * end after this many milliseconds from now, or ended before.
 */
export async function copySession(
  client: TestClient,
  request: SessionReference,
  sessionIds: string[],
  lifetimeMilliseconds: number,
): Promise<void> {
  const { slots, active } = keysOf(request);
  const lua = `
    local values = { cmsgpack.unpack(redis.call('HGET', KEYS[1], ARGV[1])) }
    values[3] = tonumber(ARGV[3])
    for i = 4, #ARGV do
      values[2] = values[2] + 1
      redis.call('HSET', KEYS[1], ARGV[i], cmsgpack.pack(unpack(values, 1, 13)))
      redis.call('ZADD', KEYS[2], ARGV[3], ARGV[i] .. ':' .. ARGV[2])
    end
  `;
  const end = (await redisTime(client)) + lifetimeMilliseconds;
  await client.eval(lua, 2, slots, active, request.sessionId, request.subject, end, ...sessionIds);
}

/** Narrows a result to one outcome; fails the test for any other. */
export function expectOutcome<R extends { outcome: string }, O extends R['outcome']>(
  result: R,
  outcome: O,
): Extract<R, { outcome: O }> {
  if (result.outcome !== outcome) throw new Error(`expected "${outcome}", got ${JSON.stringify(result)}`);
  return result as Extract<R, { outcome: O }>;
}

/** The clock of Redis, exactly: the tests' Redis reads the clock of this machine. An estimate from its replies may be behind. */
export function exactClock(): RedisClock {
  return new RedisClock(Date.now);
}

/** Returns the time of Redis in milliseconds since 1970. */
export async function redisTime(client: TestClient): Promise<number> {
  const [seconds, microseconds] = await client.time();
  return Number(seconds) * 1000 + Math.floor(Number(microseconds) / 1000);
}

/** Resolves as soon as the clock of Redis has reached the time. */
export async function untilRedisTime(client: TestClient, time: Date): Promise<void> {
  while ((await redisTime(client)) < time.getTime()) await pause(2);
}

/** Returns the ids of a subject's sessions that have a record, and of those that have a slot in the list of their bucket, sorted. */
export async function subjectState(client: TestClient, request: SessionReference) {
  const { slots, active } = keysOf(request);
  const members = (await client.zrange(active, '0', '-1')).map(readActiveMember);
  return {
    records: (await client.hkeys(slots)).filter((id) => id !== '').sort(),
    active: members
      .filter(({ subject }) => subject === request.subject)
      .map(({ sessionId }) => sessionId)
      .sort(),
  };
}

/** Returns the state of a subject with exactly these sessions. */
export function slotsOf(...sessionIds: string[]) {
  const sorted = [...sessionIds].sort();
  return { records: sorted, active: sorted };
}
