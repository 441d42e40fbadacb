import type { EnvironmentDocument, PlaybackSchemas } from '@multi-drm/contracts';

type DrmSystem = PlaybackSchemas['DrmSystem'];

const keySystems: Record<DrmSystem, string[]> = {
  widevine: ['com.widevine.alpha'],
  playready: ['com.microsoft.playready.recommendation', 'com.microsoft.playready'],
  fairplay: ['com.apple.fps'],
  wiseplay: ['com.huawei.wiseplay', 'com.wiseplay.drm'],
};

/** The key systems to request from the browser (W3C EME), best first; ClearKey's if that is the backend. */
export function keySystemsFor(drmSystem: DrmSystem, environment: EnvironmentDocument): string[] {
  return isServedByClearKey(drmSystem, environment) ? ['org.w3.clearkey'] : keySystems[drmSystem];
}

/** Whether the environment serves ClearKey licenses (W3C EME, section 9.1) for the DRM system. */
export function isServedByClearKey(drmSystem: DrmSystem, { drmSystems }: EnvironmentDocument): boolean {
  return drmSystems.find((system) => system.drmSystem === drmSystem)?.backend === 'clearkey';
}
