import { randomUUID } from 'node:crypto';
import type { SlotEvent } from '@multi-drm/slots';
import type { EventSession } from '../events/session-rows';

/** A session that started a minute ago and lasts an hour. */
export function eventSession(environmentId: string, changes: Partial<EventSession> = {}): EventSession {
  const now = Date.now();
  return {
    environmentId,
    subject: 'lms:3f9c:17',
    sessionId: randomUUID(),
    reservationId: randomUUID(),
    startedAt: (now - 60_000) * 1000 + 123,
    expiresAt: now + 3_600_000,
    details: {
      contentId: 'lesson-0042',
      contentType: 'vod',
      drmSystem: 'widevine',
      applicationId: 'app',
      clientPlatform: 'web',
      attemptId: null,
      reporting: { campaign: 'spring' },
    },
    ...changes,
  };
}

/** Its start. */
export const started = (session: EventSession): SlotEvent => ({
  ...session,
  kind: 'started',
  at: session.startedAt,
  replacesSessionId: null,
  activeSessions: 1,
});

/** Its end, a number of seconds after its start. */
export const ended = (
  session: EventSession,
  reason: Extract<SlotEvent, { kind: 'ended' }>['reason'] = 'released',
  seconds = 12.5,
): SlotEvent => ({
  ...session,
  kind: 'ended',
  at: session.startedAt + seconds * 1_000_000,
  reason,
  licenseRequests: 2,
});

/** That it took its slot again, a number of seconds after its start. */
export const resumed = (session: EventSession, seconds = 5): SlotEvent => ({
  ...session,
  kind: 'resumed',
  at: session.startedAt + seconds * 1_000_000,
});
