import type { ControlPlaneSchemas, FieldErrors } from '@multi-drm/contracts';
import { servedSystems } from '@multi-drm/license-backends';
import { certificateFaults } from './certificate-faults';
import { type ConfiguredHeaders, headerFaults } from './header-faults';
import { type UrlPlace, urlFaults } from './url-faults';

type Configuration = ControlPlaneSchemas['ConfigureDrmSystemRequest'];

/** Where the settings apply. */
interface Place extends UrlPlace {
  drmSystem: ControlPlaneSchemas['DrmSystem'];
}

/** Validation errors of a DRM system's settings, beyond the format of each field. */
export function drmSystemFaults({ enabled, backend, certificate }: Configuration, place: Place): FieldErrors {
  const errors: FieldErrors = {};
  if (enabled && backend === undefined) errors.backend = ['is required if the DRM system is enabled'];
  if (certificate !== undefined) {
    const faults = place.drmSystem === 'fairplay' ? certificateFaults(certificate) : ['is only for fairplay'];
    if (faults.length > 0) errors.certificate = faults;
  }
  return backend === undefined ? errors : { ...errors, ...backendFaults(backend, place) };
}

function backendFaults(backend: NonNullable<Configuration['backend']>, place: Place): FieldErrors {
  const { drmSystem, kind } = place;
  // Safe: the OpenAPI document defines the settings of each type; no other type has headers.
  const { type, url, ...headers } = backend as typeof backend & { url?: string } & ConfiguredHeaders;
  const errors: FieldErrors = headerFaults(headers);
  if (!servedSystems[type].includes(drmSystem)) errors['backend.type'] = [`does not serve ${drmSystem}`];
  if (type === 'clearkey' && kind !== 'development') errors['backend.type'] = ['is only for development environments'];
  const faults = url === undefined ? [] : urlFaults(url, place);
  if (faults.length > 0) errors['backend.url'] = faults;
  return errors;
}
