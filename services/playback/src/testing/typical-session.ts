import { randomBytes, randomUUID } from 'node:crypto';
import type { SubjectBuckets } from '@multi-drm/contracts';
import type { ReserveRequest } from '@multi-drm/slots';
import { packGrant, type SessionGrant } from '../sessions/session-grant';

/** The grant of a typical session. */
const typicalGrant: SessionGrant = {
  contentId: 'lesson-0042',
  contentType: 'vod',
  drmSystem: 'widevine',
  manifestTypes: ['dash'],
  policy: {
    template: 'hd',
    maximumHeight: 1080,
    tracks: [
      { trackTypes: ['AUDIO', 'SD'], widevine: { securityLevel: 1, hdcp: 'none' } },
      { trackTypes: ['HD'], widevine: { securityLevel: 1, hdcp: '1.0' } },
    ],
    maximumConcurrentStreams: 3,
  },
  template: 'hd',
  times: {
    lifetimeMilliseconds: 14_400_000,
    tokenLifetimeMilliseconds: 14_400_000,
    maximumSessionMilliseconds: 86_400_000,
    renewalIntervalSeconds: 7_200,
    hasHeartbeat: false,
  },
};

/** The reservation of a session of typical size, of a viewer of its own, whose name has 25 bytes. */
export function typicalSession(buckets: SubjectBuckets, environmentId: string): ReserveRequest {
  return {
    buckets,
    environmentId,
    subject: `lms:${randomBytes(10).toString('hex')}x`,
    sessionId: randomUUID(),
    reservationId: randomUUID(),
    requestHash: randomBytes(16).toString('base64url'),
    limit: 3,
    limitCeiling: null,
    atStreamLimit: 'reject',
    organizationIsFull: false,
    startsAreUsedUp: false,
    replacesSessionId: null,
    lifetimeMilliseconds: typicalGrant.times.lifetimeMilliseconds,
    details: {
      contentId: typicalGrant.contentId,
      contentType: typicalGrant.contentType,
      drmSystem: typicalGrant.drmSystem,
      applicationId: 'web-player',
      clientPlatform: 'web',
    },
    grant: packGrant(typicalGrant),
  };
}
