import { secretPlaces } from '@multi-drm/contracts';
import type { SettingValues } from '@multi-drm/license-backends';
import type { Secrets } from '@multi-drm/service-kit';
import type { DrmSystemKey } from '../../stores/stored-secrets';

/** The secrets of a license backend in a DRM system's settings. A map of headers is one secret: its JSON. */
export class BackendSecrets {
  constructor(
    private readonly secrets: Secrets,
    private readonly key: DrmSystemKey,
  ) {}

  /** Encrypts each secret separately; null if there is none. Throws `service_unavailable` without SECRET_KEYS. */
  encrypt(sent: SettingValues): Record<string, string> | null {
    const entries = Object.entries(sent).map(([name, value]) => [
      name,
      this.secrets.encrypt(this.placeOf(name), plaintextOf(value)),
    ]);
    return entries.length === 0 ? null : Object.fromEntries(entries);
  }

  /** The names of the secrets that a request adds, sets to another value or removes. */
  changed(stored: Record<string, string>, sent: SettingValues): string[] {
    const names = [...new Set([...Object.keys(stored), ...Object.keys(sent)])];
    return names.filter((name) => {
      const [encrypted, value] = [stored[name], sent[name]];
      return encrypted === undefined || value === undefined || !this.holds(name, encrypted, plaintextOf(value));
    });
  }

  private holds(name: string, encrypted: string, plaintext: string): boolean {
    try {
      return this.secrets.decrypt(this.placeOf(name), encrypted) === plaintext;
    } catch {
      return false; // Encrypted with a key that is gone: the new value is the one that can be used.
    }
  }

  private placeOf(name: string) {
    return secretPlaces.licenseBackend(this.key.environmentId, this.key.drmSystem, name);
  }
}

function plaintextOf(value: SettingValues[string]): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
