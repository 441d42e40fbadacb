import { activeSessionsKey, bucketHashTag, bucketsOfDeployment } from '@multi-drm/contracts';
import type { Ledger } from '@multi-drm/test-kit/load/ledger';
import type { StageRedis } from '@multi-drm/test-kit/stage/stage-redis';
import type { Cluster, Redis } from 'ioredis';

/** The comparison of Redis with the responses. */
export interface Audit {
  /** Viewers with more sessions than the limit, according to responses or Redis. */
  overAdmitted: number;
  /** Slots that belong to no session in a response, and slots of released sessions. */
  lostSlots: string[];
  /** Active sessions from responses that have no slot. */
  vanished: string[];
}

/** Compares the slots of viewers whose names start with the prefix with the ledger. No calls may be pending. */
export async function audit(
  servers: StageRedis,
  environmentId: string,
  ledger: Ledger,
  prefix: string,
): Promise<Audit> {
  const all = await heldSlots(servers.connect(), environmentId);
  const held = new Map([...all].filter(([, { subject }]) => subject.startsWith(`${prefix}-`)));
  const perSubject = new Map<string, number>();
  for (const { subject } of held.values()) perSubject.set(subject, (perSubject.get(subject) ?? 0) + 1);
  const tooMany = [...perSubject].filter(([, count]) => count > ledger.limit).map(([subject]) => subject);
  return {
    overAdmitted: new Set([...ledger.overAdmitted, ...tooMany]).size,
    lostSlots: [...held.keys()].filter((id) => {
      const state = ledger.sessions.get(id)?.state;
      return state === undefined || state === 'released';
    }),
    vanished: ledger
      .allCertainlyActive()
      .map(({ sessionId }) => sessionId)
      .filter((id) => !held.has(id)),
  };
}

/** Returns the sessions that hold a slot by the clock of Redis, with their subjects, and disconnects. */
export async function heldSlots(
  redis: Redis | Cluster,
  environmentId: string,
): Promise<Map<string, { subject: string }>> {
  try {
    const [seconds] = await redis.time();
    const keys = Array.from({ length: bucketsOfDeployment }, (_, bucket) =>
      activeSessionsKey(bucketHashTag(bucket), environmentId),
    );
    const members = await Promise.all(
      keys.map((key) => redis.zrangebyscore(key, `(${Number(seconds) * 1_000}`, '+inf')),
    );
    return new Map(
      members.flat().map((member) => {
        const colon = member.indexOf(':');
        return [member.slice(0, colon), { subject: member.slice(colon + 1) }];
      }),
    );
  } finally {
    redis.disconnect();
  }
}
