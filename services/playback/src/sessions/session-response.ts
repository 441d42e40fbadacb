import { type ContentDocument, type EnvironmentDocument, type PlaybackSchemas, trackTypes } from '@multi-drm/contracts';
import { allowedKeys, type ManifestSelection } from '@multi-drm/policy';
import type { Reservation } from '@multi-drm/slots';
import { keySystemsFor } from './key-systems';
import { playbackUrls } from './playback-urls';
import { robustnessFor } from './robustness';
import type { SessionGrant } from './session-grant';
import { sessionPolicy } from './session-policy';

type PlaybackSession = PlaybackSchemas['PlaybackSessionResponse'];

/** The input of a session's response. */
export interface SessionFacts {
  sessionId: string;
  subject: string;
  environment: EnvironmentDocument;
  content: ContentDocument;
  manifests: ManifestSelection;
  grant: SessionGrant;
  /** Of the same environment, content and grant. */
  fixed: FixedParts;
}

/** The parts of the response that follow from the environment, the content and the grant alone. */
export interface FixedParts {
  drm: Pick<PlaybackSession['drm'], 'keySystems' | 'robustness' | 'keyIds'>;
  allowedTrackTypes: PlaybackSession['policy']['allowedTrackTypes'];
  tracks: PlaybackSession['tracks'];
}

/** Builds the parts that all sessions with the same grant share. */
export function fixedParts(
  environment: EnvironmentDocument,
  { keys, audioLanguages, subtitleLanguages }: ContentDocument,
  { drmSystem, policy }: SessionGrant,
): FixedParts {
  const robustness = robustnessFor(drmSystem, policy.tracks, environment);
  return {
    drm: {
      keySystems: keySystemsFor(drmSystem, environment),
      ...(robustness === undefined ? {} : { robustness }),
      keyIds: allowedKeys(keys, policy.tracks).map(({ keyId }) => keyId),
    },
    allowedTrackTypes: trackTypes.filter((type) => policy.tracks.some((track) => track.trackTypes.includes(type))),
    tracks: {
      languageTagStandard: 'BCP 47',
      audio: { selectable: audioLanguages.length > 1, languages: audioLanguages },
      subtitles: { selectable: subtitleLanguages.length > 0, languages: subtitleLanguages },
    },
  };
}

/** Builds the Contract v1 response. */
export function sessionResponse(
  { sessionId, environment, content, manifests, grant, fixed }: SessionFacts,
  reservation: Reservation,
  { token, expiresAt: tokenExpiresAt }: { token: string; expiresAt: Date },
  publicUrl: string,
): PlaybackSession {
  const { contentType, drmSystem, policy, template } = grant;
  const urls = playbackUrls(publicUrl, environment.environmentId);
  return {
    contractVersion: 1,
    sessionId,
    contentId: content.contentId,
    contentType,
    drmSystem,
    playbackMode: 'streaming',
    manifestUrl: manifests.selected.url,
    manifestUrls: manifests.compatible,
    expiresAt: reservation.expiresAt.toISOString(),
    serverTime: reservation.serverTime.toISOString(),
    drm: {
      system: drmSystem,
      integrationMode: 'direct-token',
      licenseServerUrl: urls.license(drmSystem),
      drmLicenseToken: token,
      tokenType: 'Bearer',
      tokenExpiresAt: tokenExpiresAt.toISOString(),
      ...fixed.drm,
      ...(drmSystem === 'fairplay' ? { fairPlayCertificateUrl: urls.fairPlayCertificate } : {}),
    },
    release: { url: urls.release(sessionId), method: 'POST', authorizationScheme: 'Bearer' },
    ...renewal(urls.renewal(sessionId), grant, reservation),
    policy: sessionPolicy(
      { ...policy, template, maximumConcurrentStreams: reservation.limit },
      fixed.allowedTrackTypes,
    ),
    tracks: fixed.tracks,
  };
}

/** How to renew; absent if the session has reached its maximum length. */
function renewal(
  url: string,
  { times }: SessionGrant,
  { startedAt, expiresAt }: Reservation,
): Pick<PlaybackSession, 'renewal'> {
  const { maximumSessionMilliseconds, renewalIntervalSeconds } = times;
  if (expiresAt.getTime() >= startedAt.getTime() + maximumSessionMilliseconds) return {};
  return {
    renewal: { url, method: 'POST', authorizationScheme: 'Bearer', intervalSeconds: renewalIntervalSeconds },
  };
}
