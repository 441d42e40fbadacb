import type { ControlPlaneSchemas } from '@multi-drm/contracts';

type BackendType = ControlPlaneSchemas['LicenseBackendType'];
/** The settings of each license backend that are encrypted in storage and never shown. */
export const secretSettings: Readonly<Record<BackendType, readonly string[]>> = {
  clearkey: [],
  'widevine-proxy': ['signingKey', 'signingIv'],
  axinom: ['communicationKey'],
  drmtoday: ['sharedSecret'],
  doverunner: ['siteKey', 'accessKey'],
  http: ['secretHeaders'],
};

/** A license backend's settings in the API's form: strings and maps of headers. */
export type BackendSettings = Record<string, string | Record<string, string>>;

/** A license backend's settings with the secret ones separated. */
export function splitSettings({ type, ...settings }: ControlPlaneSchemas['LicenseBackendRequest']): {
  open: BackendSettings;
  secret: BackendSettings;
} {
  // Safe: the OpenAPI document lists the settings of each type.
  const entries = Object.entries(settings as BackendSettings);
  const isSecret = ([name]: [string, unknown]) => secretSettings[type].includes(name);
  return {
    open: Object.fromEntries(entries.filter((entry) => !isSecret(entry))),
    secret: Object.fromEntries(entries.filter(isSecret)),
  };
}
