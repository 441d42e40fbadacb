import type { ControlPlaneSchemas, FieldErrors } from '@multi-drm/contracts';
import { backendDescriptors } from '@multi-drm/license-backends';
import { certificateErrors } from './certificate-validation';
import { type ConfiguredHeaders, headerErrors } from './header-validation';
import { type UrlPlace, urlErrors } from './url-validation';

type Configuration = ControlPlaneSchemas['ConfigureDrmSystemRequest'];

/** Where the settings apply. */
interface Place extends UrlPlace {
  drmSystem: ControlPlaneSchemas['DrmSystem'];
}

/** Validation errors of a DRM system's settings, beyond the format of each field. */
export function drmSystemErrors({ enabled, backend, certificate }: Configuration, place: Place): FieldErrors {
  const errors: FieldErrors = {};
  if (enabled && backend === undefined) errors.backend = ['is required if the DRM system is enabled'];
  if (certificate !== undefined) {
    const messages = place.drmSystem === 'fairplay' ? certificateErrors(certificate) : ['is only for fairplay'];
    if (messages.length > 0) errors.certificate = messages;
  }
  return backend === undefined ? errors : { ...errors, ...backendErrors(backend, place) };
}

function backendErrors(backend: NonNullable<Configuration['backend']>, place: Place): FieldErrors {
  const { drmSystem, kind } = place;
  // Safe: the OpenAPI document defines the settings of each type; no other type has headers.
  const { type, url, ...headers } = backend as typeof backend & { url?: string } & ConfiguredHeaders;
  const errors: FieldErrors = headerErrors(headers);
  if (!backendDescriptors[type].systems.includes(drmSystem)) errors['backend.type'] = [`does not serve ${drmSystem}`];
  if (type === 'clearkey' && kind !== 'development') errors['backend.type'] = ['is only for development environments'];
  const messages = url === undefined ? [] : urlErrors(url, place);
  if (messages.length > 0) errors['backend.url'] = messages;
  return errors;
}
