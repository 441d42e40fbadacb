import { type EnvironmentDocument, type LicenseBackendDocument, Problem } from '@multi-drm/contracts';
import { backendSettings, createBackend, type LicenseBackend, type SignPolicy } from '@multi-drm/license-backends';
import { openLicenseBackend, type Secrets } from '@multi-drm/service-kit';
import { requireReadable } from './readable-secrets';

type Environment = Pick<EnvironmentDocument, 'kind'>;

/** A license backend created from its published settings. */
export interface ConfiguredBackend {
  backend: LicenseBackend;
  type: string;
}

/** Creates license backends from their published documents; each is cached for the lifetime of its document object. */
export class LicenseBackends {
  private readonly configured = new WeakMap<LicenseBackendDocument, ConfiguredBackend>();

  constructor(private readonly options: { secrets: Secrets; signPolicy: SignPolicy }) {}

  /**
   * Throws the problem `license_backend_not_configured` if there is no backend, if it is disabled, or if it is ClearKey outside of
   * development, because anyone with a token could then read the content keys.
   */
  of(document: LicenseBackendDocument | null, { kind }: Environment): ConfiguredBackend {
    if (document === null || !document.enabled || document.backend === null) {
      throw notConfigured('The environment has no license backend for the DRM system.');
    }
    if (document.backend.type === 'clearkey' && kind !== 'development') {
      throw notConfigured('ClearKey is available in development environments only.');
    }
    const known = this.configured.get(document);
    if (known !== undefined) return known;
    const { secrets, signPolicy } = this.options;
    const settings = backendSettings.parse(requireReadable(() => openLicenseBackend(secrets, document)));
    const configured = { backend: createBackend(settings, signPolicy), type: settings.type };
    this.configured.set(document, configured);
    return configured;
  }
}

function notConfigured(detail: string): Problem {
  return new Problem('license_backend_not_configured', detail);
}
