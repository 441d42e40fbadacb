import { type ControlPlaneSchemas, invalidRequest, secretPlaces } from '@multi-drm/contracts';
import type { AddressGuard, Secrets } from '@multi-drm/service-kit';
import type { ConditionalChange } from '../../records/change';
import { etagOf } from '../../records/if-match';
import type { LicenseWarningService } from '../license-warnings/license-warning-service';
import { type BackendSettings, splitSettings } from './backend-settings';
import { pemToBase64Der } from './certificate-validation';
import { drmSystemResponse } from './drm-system-response';
import type { DrmSystemRecord, DrmSystemStore } from './drm-system-store';
import { drmSystemErrors } from './drm-system-validation';

type DrmSystem = ControlPlaneSchemas['DrmSystem'];

/** The settings of a DRM system without their secrets, and their ETag. */
interface VersionedDrmSystem {
  drmSystem: ControlPlaneSchemas['DrmSystemConfigurationResponse'];
  etag: string;
}

/** The settings after a configuration, with their license warnings. */
interface ConfiguredDrmSystem extends VersionedDrmSystem {
  drmSystem: ControlPlaneSchemas['ConfiguredDrmSystemResponse'];
}

interface DrmSystemOptions {
  store: DrmSystemStore;
  secrets: Secrets;
  guard: AddressGuard;
  warnings: Pick<LicenseWarningService, 'ofConfiguration'>;
  publisher: { wake(): void };
  now: () => Date;
}

/** The DRM system settings of environments. */
export class DrmSystemService {
  constructor(private readonly options: DrmSystemOptions) {}

  async read(environmentId: string, drmSystem: DrmSystem): Promise<VersionedDrmSystem> {
    return versioned(await this.options.store.read(environmentId, drmSystem));
  }

  /**
   * Replaces all settings including secrets. Throws `invalid_request`, `precondition_failed`, `conflict` or
   * `service_unavailable`.
   */
  async configure(
    environmentId: string,
    drmSystem: DrmSystem,
    sent: ControlPlaneSchemas['ConfigureDrmSystemRequest'],
    { actor, ifMatch }: ConditionalChange,
  ): Promise<ConfiguredDrmSystem> {
    const { store, guard, warnings, publisher, now } = this.options;
    const { id, kind } = await store.readEnvironment(environmentId);
    const request = sent.certificate === undefined ? sent : { ...sent, certificate: pemToBase64Der(sent.certificate) };
    const errors = drmSystemErrors(request, { drmSystem, kind, guard });
    if (Object.keys(errors).length > 0) throw invalidRequest(errors);
    const { enabled, backend, certificate } = request;
    const settings = backend === undefined ? undefined : splitSettings(backend);
    const configured = await store.configure(
      { environmentId: id, drmSystem },
      {
        enabled,
        backend: backend?.type ?? null,
        backendSettings: settings?.open ?? null,
        backendSecrets: settings === undefined ? null : this.encrypt(id, drmSystem, settings.secret),
        certificate: certificate ?? null,
      },
      { ifMatch, fields: Object.keys(request), actor },
      now(),
    );
    publisher.wake();
    const { drmSystem: shown, etag } = versioned(configured);
    return { drmSystem: { ...shown, warnings: await warnings.ofConfiguration(id, drmSystem) }, etag };
  }

  /** Encrypts each secret separately; a map of headers as JSON. */
  private encrypt(environmentId: string, drmSystem: DrmSystem, secret: BackendSettings): Record<string, string> | null {
    const entries = Object.entries(secret).map(([name, value]) => {
      const plaintext = typeof value === 'string' ? value : JSON.stringify(value);
      const place = secretPlaces.licenseBackend(environmentId, drmSystem, name);
      return [name, this.options.secrets.encrypt(place, plaintext)];
    });
    return entries.length === 0 ? null : Object.fromEntries(entries);
  }
}

function versioned(record: DrmSystemRecord): VersionedDrmSystem {
  return { drmSystem: drmSystemResponse(record), etag: etagOf(record.version) };
}
