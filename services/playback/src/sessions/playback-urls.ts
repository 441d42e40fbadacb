import type { PlaybackSchemas } from '@multi-drm/contracts';

/** The absolute URLs of an environment's player-facing routes, built only from the configured public URL. */
export function playbackUrls(publicUrl: string, environmentId: string) {
  const environment = `${publicUrl}/api/v1/playback/environments/${environmentId}`;
  return {
    license: (drmSystem: PlaybackSchemas['DrmSystem']): string => `${environment}/licenses/${drmSystem}`,
    fairPlayCertificate: `${environment}/certificates/fairplay`,
    release: (sessionId: string): string => `${environment}/sessions/${sessionId}/release`,
    renewal: (sessionId: string): string => `${environment}/sessions/${sessionId}/renew`,
  };
}
