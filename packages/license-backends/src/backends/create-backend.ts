import { axinom } from './axinom';
import type { BackendSettings } from './backend-settings';
import { clearKey } from './clearkey';
import { doveRunner } from './doverunner';
import { drmToday } from './drmtoday';
import { httpBackend } from './http';
import type { LicenseBackend } from './license-backend';
import type { SignPolicy } from './policy-token';
import { widevineProxy } from './widevine-proxy';

/** Creates the backend for an environment's settings of one DRM system. Each call creates new vendor tokens. */
export function createBackend(settings: BackendSettings, signPolicy: SignPolicy): LicenseBackend {
  switch (settings.type) {
    case 'clearkey':
      return clearKey();
    case 'widevine-proxy':
      return widevineProxy(settings);
    case 'axinom':
      return axinom(settings);
    case 'drmtoday':
      return drmToday(settings);
    case 'doverunner':
      return doveRunner(settings);
    case 'http':
      return httpBackend(settings, signPolicy);
  }
}
