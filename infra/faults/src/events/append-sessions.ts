import { randomInt, randomUUID } from 'node:crypto';
import { type SlotEvent, slotEventsKey } from '@multi-drm/slots';
import { packSlotEvent } from '@multi-drm/slots/testing';
import type { Cluster, Redis } from 'ioredis';

/** Sessions whose events are appended together. */
const sessionsAtOnce = 500;

const buckets = 1_024;

const details: SlotEvent['details'] = {
  contentId: 'lesson',
  contentType: 'vod',
  drmSystem: 'widevine',
  applicationId: 'web',
  clientPlatform: 'web',
  attemptId: null,
  reporting: null,
};

interface AppendedSessions {
  environmentId: string;
  /** Of the subjects. */
  prefix: string;
  count: number;
  /** When a session started, in microseconds since 1970. */
  startedAt: () => number;
  /** After how many microseconds it ended; undefined: it did not. */
  lasted?: number;
}

/** Appends the events of sessions as playback does. */
export async function appendSessions(client: Redis | Cluster, sessions: AppendedSessions): Promise<void> {
  const { environmentId, prefix, count, lasted } = sessions;
  for (let first = 0; first < count; first += sessionsAtOnce) {
    const commands = client.pipeline();
    for (let index = first; index < Math.min(count, first + sessionsAtOnce); index += 1) {
      const startedAt = sessions.startedAt();
      const session = {
        environmentId,
        subject: `${prefix}-${index}`,
        sessionId: randomUUID(),
        reservationId: randomUUID(),
        startedAt,
        expiresAt: Math.round(startedAt / 1_000) + 600_000,
        details,
      };
      const start: SlotEvent = {
        ...session,
        kind: 'started',
        at: startedAt,
        replacesSessionId: null,
        activeSessions: 1,
      };
      const entries = [packSlotEvent(start)];
      if (lasted !== undefined) {
        const at = startedAt + lasted;
        entries.push(packSlotEvent({ ...session, kind: 'ended', at, reason: 'released', licenseRequests: 1 }));
      }
      commands.rpush(slotEventsKey(randomInt(buckets)), ...entries);
    }
    await commands.exec();
  }
}
