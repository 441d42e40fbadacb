import { axinom } from './axinom';
import type { BackendDescriptor, BackendType } from './backend-descriptor';
import { clearKey } from './clearkey';
import { doveRunner } from './doverunner';
import { drmToday } from './drmtoday';
import { httpBackend } from './http';
import { widevineProxy } from './widevine-proxy';

/** The type requires a descriptor for each `LicenseBackendType` of the control plane's OpenAPI document, and no other. */
export const backendDescriptors: { readonly [Type in BackendType]: BackendDescriptor<Type> } = {
  clearkey: clearKey,
  'widevine-proxy': widevineProxy,
  axinom,
  drmtoday: drmToday,
  doverunner: doveRunner,
  http: httpBackend,
};
