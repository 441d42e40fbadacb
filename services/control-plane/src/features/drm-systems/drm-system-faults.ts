import type { ControlPlaneSchemas, FieldErrors } from '@multi-drm/contracts';
import { servedSystems } from '@multi-drm/license-backends';
import { certificateFaults } from './certificate-faults';
import { type ConfiguredHeaders, headerFaults } from './header-faults';
import { type UrlPlace, urlFaults } from './url-faults';

type Configuration = ControlPlaneSchemas['ConfigureDrmSystemRequest'];

/** Where the settings are to hold. */
interface Place extends UrlPlace {
  drmSystem: ControlPlaneSchemas['DrmSystem'];
}

/** What is wrong with the settings of a DRM system beyond the form of each field. */
export function drmSystemFaults({ enabled, backend, certificate }: Configuration, place: Place): FieldErrors {
  const errors: FieldErrors = {};
  if (enabled && backend === undefined) errors.backend = ['is required where the DRM system is enabled'];
  if (certificate !== undefined) {
    const faults = place.drmSystem === 'fairplay' ? certificateFaults(certificate) : ['is for fairplay alone'];
    if (faults.length > 0) errors.certificate = faults;
  }
  return backend === undefined ? errors : { ...errors, ...backendFaults(backend, place) };
}

function backendFaults(backend: NonNullable<Configuration['backend']>, place: Place): FieldErrors {
  const { drmSystem, kind } = place;
  // Safe: the document says what each type has; no other type has headers.
  const { type, url, ...headers } = backend as typeof backend & { url?: string } & ConfiguredHeaders;
  const errors: FieldErrors = headerFaults(headers);
  if (!servedSystems[type].includes(drmSystem)) errors['backend.type'] = [`does not serve ${drmSystem}`];
  if (type === 'clearkey' && kind !== 'development') errors['backend.type'] = ['is for development environments alone'];
  const faults = url === undefined ? [] : urlFaults(url, place);
  if (faults.length > 0) errors['backend.url'] = faults;
  return errors;
}
