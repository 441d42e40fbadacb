import { type EnvironmentDocument, keySystems, type PlaybackSchemas } from '@multi-drm/contracts';

type DrmSystem = PlaybackSchemas['DrmSystem'];

/** The key systems to request from the browser (W3C EME), best first; ClearKey's if that is the backend. */
export function keySystemsFor(drmSystem: DrmSystem, environment: EnvironmentDocument): string[] {
  return isServedByClearKey(drmSystem, environment) ? ['org.w3.clearkey'] : keySystems[drmSystem];
}

/** Whether the environment serves ClearKey licenses (W3C EME, section 9.1) for the DRM system. */
export function isServedByClearKey(drmSystem: DrmSystem, { drmSystems }: EnvironmentDocument): boolean {
  return drmSystems.find((system) => system.drmSystem === drmSystem)?.backend === 'clearkey';
}
