import type { ContentDocument, EnvironmentDocument, PlaybackSchemas } from '@multi-drm/contracts';
import type { ResolvedPolicy } from '../../policy/resolve-policy';
import type { ManifestSelection } from '../../policy/select-manifests';
import type { Reservation } from '../../slots/slot-store';
import { keySystemsFor } from './key-systems';
import { playbackUrls } from './urls';

type PlaybackSession = PlaybackSchemas['PlaybackSessionResponse'];

/** All that a session's answer is made of. */
export interface SessionFacts {
  request: PlaybackSchemas['CreatePlaybackSessionRequest'];
  sessionId: string;
  environment: EnvironmentDocument;
  content: ContentDocument;
  policy: ResolvedPolicy;
  manifests: ManifestSelection;
}

/** The Contract v1 response. */
export function sessionResponse(
  { request, sessionId, environment, content, policy, manifests }: SessionFacts,
  reservation: Reservation,
  { token, expiresAt: tokenExpiresAt }: { token: string; expiresAt: Date },
  publicUrl: string,
): PlaybackSession {
  const urls = playbackUrls(publicUrl, environment.environmentId);
  return {
    contractVersion: 1,
    sessionId,
    contentId: content.contentId,
    contentType: request.contentType,
    drmSystem: request.drmSystem,
    playbackMode: 'streaming',
    manifestUrl: manifests.selected.url,
    manifestUrls: manifests.compatible,
    expiresAt: reservation.expiresAt.toISOString(),
    serverTime: reservation.serverTime.toISOString(),
    drm: {
      system: request.drmSystem,
      integrationMode: 'direct-token',
      licenseServerUrl: urls.license(request.drmSystem),
      drmLicenseToken: token,
      tokenType: 'Bearer',
      tokenExpiresAt: tokenExpiresAt.toISOString(),
      keySystems: keySystemsFor(request.drmSystem, environment),
      keyIds: content.keys.map(({ keyId }) => keyId),
      ...(request.drmSystem === 'fairplay' ? { fairPlayCertificateUrl: urls.fairPlayCertificate } : {}),
    },
    release: { url: urls.release(sessionId), method: 'POST', authorizationScheme: 'Bearer' },
    policy: {
      maximumHeight: policy.maximumHeight,
      allowedTrackTypes: policy.allowedTrackTypes,
      template: policy.template,
      maximumConcurrentStreams: policy.maximumConcurrentStreams,
    },
    tracks: {
      languageTagStandard: 'BCP 47',
      audio: { selectable: content.audioLanguages.length > 1, languages: content.audioLanguages },
      subtitles: { selectable: content.subtitleLanguages.length > 0, languages: content.subtitleLanguages },
    },
  };
}
