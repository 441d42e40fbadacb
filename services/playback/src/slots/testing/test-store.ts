import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { subjectHashTag } from '@multi-drm/contracts';
import { Redis } from 'ioredis';
import { type SlotKeys, slotKeys } from '../keys';
import { RedisSlotStore, type SlotStoreOptions } from '../redis-slot-store';
import type { ReserveRequest, ReserveResult } from '../slot-store';

/** Connects to the Redis that all suites share. */
export function connect(options: { enableAutoPipelining?: boolean } = {}): Redis {
  const url = process.env.TEST_REDIS_URL;
  if (url === undefined) throw new Error('TEST_REDIS_URL is not set');
  return new Redis(url, options);
}

/** A store with the default settings, where the test says nothing else. */
export function storeOn(client: Redis, options: Partial<SlotStoreOptions> = {}): RedisSlotStore {
  return new RedisSlotStore(client, { idempotentRepeatSeconds: 120, sessionIdRetentionSeconds: 86_400, ...options });
}

/** A request for a new session of a new subject in a new environment, with no limit and a lifetime of one hour. */
export function newRequest(changes: Partial<ReserveRequest> = {}): ReserveRequest {
  return {
    environmentId: randomUUID(),
    subject: 'lms:3f9c:17',
    sessionId: randomUUID(),
    reservationId: randomUUID(),
    requestHash: 'hash-of-the-request',
    limit: null,
    lifetimeMilliseconds: 3_600_000,
    details: { contentId: 'lesson-0042' },
    ...changes,
  };
}

/** The request of another session of the same subject. */
export function another(request: ReserveRequest, changes: Partial<ReserveRequest> = {}): ReserveRequest {
  return { ...request, sessionId: randomUUID(), reservationId: randomUUID(), ...changes };
}

/** The same request as a retrying backend sends it: in a new call, with a nonce of its own. */
export function again(request: ReserveRequest, changes: Partial<ReserveRequest> = {}): ReserveRequest {
  return { ...request, reservationId: randomUUID(), ...changes };
}

/** Another subject of the same environment whose keys have the same hash tag. */
export function neighbourOf({ environmentId, subject }: ReserveRequest): string {
  const tag = subjectHashTag(environmentId, subject);
  for (let i = 0; ; i += 1) {
    const candidate = `viewer-${i}`;
    if (candidate !== subject && subjectHashTag(environmentId, candidate) === tag) return candidate;
  }
}

export function keysOf(request: ReserveRequest): SlotKeys {
  return slotKeys(request.environmentId, request.subject, request.sessionId);
}

/** Narrows a result to one outcome, and fails the test for any other. */
export function expectOutcome<O extends ReserveResult['outcome']>(
  result: ReserveResult,
  outcome: O,
): Extract<ReserveResult, { outcome: O }> {
  if (result.outcome !== outcome) throw new Error(`expected "${outcome}", got ${JSON.stringify(result)}`);
  return result as Extract<ReserveResult, { outcome: O }>;
}

/** The clock that decides, in milliseconds since 1970. */
export async function redisTime(client: Redis): Promise<number> {
  const [seconds, microseconds] = await client.time();
  return Number(seconds) * 1000 + Math.floor(Number(microseconds) / 1000);
}

/** Resolves as soon as the clock of Redis has reached the time. */
export async function untilRedisTime(client: Redis, time: Date): Promise<void> {
  while ((await redisTime(client)) < time.getTime()) await pause(2);
}

/**
 * What a subject's three keys hold: session ids by key, sorted; when each key goes away, and when the last slot expires
 * (milliseconds since 1970; -2 where there is none).
 */
export async function subjectState(client: Redis, request: ReserveRequest) {
  const keys = keysOf(request);
  const [, lastExpiry] = await client.zrevrange(keys.expiries, 0, 0, 'WITHSCORES');
  return {
    sessionIds: {
      expiries: (await client.zrange(keys.expiries, '0', '-1')).sort(),
      starts: (await client.zrange(keys.starts, '0', '-1')).sort(),
      details: (await client.hkeys(keys.details)).sort(),
    },
    goneAt: {
      expiries: await client.pexpiretime(keys.expiries),
      starts: await client.pexpiretime(keys.starts),
      details: await client.pexpiretime(keys.details),
    },
    lastExpiry: Number(lastExpiry ?? -2),
  };
}

/** The state of a subject with exactly these slots, of which the last expires at the time given. */
export function slotsOf(sessionIds: string[], lastExpiry: Date | null) {
  const sorted = [...sessionIds].sort();
  const time = lastExpiry?.getTime() ?? -2;
  return {
    sessionIds: { expiries: sorted, starts: sorted, details: sorted },
    goneAt: { expiries: time, starts: time, details: time },
    lastExpiry: time,
  };
}
