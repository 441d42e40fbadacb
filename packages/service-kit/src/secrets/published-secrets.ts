import { type ContentDocument, type LicenseBackendDocument, secretPlaces } from '@multi-drm/contracts';
import type { Secrets } from './secrets';

type LicenseBackend = NonNullable<LicenseBackendDocument['backend']>;

/** A license backend as configured: its type and settings, with decrypted secrets. */
export type OpenLicenseBackend = LicenseBackend['settings'] & { type: string };

/** Secrets that are header maps, encrypted as JSON; all others are strings. */
const maps: ReadonlySet<string> = new Set(['secretHeaders']);

/** Decrypts a published license backend; returns null if there is none. Throws as `Secrets.decrypt` does. */
export function openLicenseBackend(
  secrets: Secrets,
  { environmentId, drmSystem, backend }: Pick<LicenseBackendDocument, 'environmentId' | 'drmSystem' | 'backend'>,
): OpenLicenseBackend | null {
  if (backend === null) return null;
  const opened = Object.entries(backend.encryptedSecrets).map(([name, text]) => {
    const plaintext = secrets.decrypt(secretPlaces.licenseBackend(environmentId, drmSystem, name), text);
    return [name, maps.has(name) ? JSON.parse(plaintext) : plaintext];
  });
  return { ...backend.settings, ...Object.fromEntries(opened), type: backend.type };
}

/** Decrypts a published content key (16 bytes); returns null if none is stored. Throws as `Secrets.decrypt` does. */
export function openContentKey(
  secrets: Secrets,
  { contentAssetId }: Pick<ContentDocument, 'contentAssetId'>,
  { keyId, encryptedKey }: ContentDocument['keys'][number],
): Buffer | null {
  if (encryptedKey === null) return null;
  return Buffer.from(secrets.decrypt(secretPlaces.contentKey(contentAssetId, keyId), encryptedKey), 'hex');
}
