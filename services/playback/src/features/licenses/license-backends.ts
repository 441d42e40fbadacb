import { type EnvironmentDocument, type LicenseBackendDocument, Problem } from '@multi-drm/contracts';
import { backendSettings, createBackend, type LicenseBackend, type SignPolicy } from '@multi-drm/license-backends';
import { openLicenseBackend, type Secrets } from '@multi-drm/service-kit';
import { requireReadable } from './readable-secrets';

type Environment = Pick<EnvironmentDocument, 'kind'>;

/** A configured backend, ready to be asked. */
export interface ConfiguredBackend {
  backend: LicenseBackend;
  type: string;
}

/** Makes license backends of what the control plane published; each is kept as long as its document is. */
export class LicenseBackends {
  private readonly made = new WeakMap<LicenseBackendDocument, ConfiguredBackend>();

  constructor(private readonly options: { secrets: Secrets; signPolicy: SignPolicy }) {}

  /**
   * Throws the Problem `license_backend_not_configured` where the environment has none that may serve: none at all, one that
   * is switched off, or ClearKey outside of development, where whoever holds a token could read the content keys.
   */
  of(document: LicenseBackendDocument | null, { kind }: Environment): ConfiguredBackend {
    if (document === null || !document.enabled || document.backend === null) {
      throw notConfigured('The environment has no license backend for the DRM system.');
    }
    if (document.backend.type === 'clearkey' && kind !== 'development') {
      throw notConfigured('ClearKey serves development environments alone.');
    }
    const known = this.made.get(document);
    if (known !== undefined) return known;
    const { secrets, signPolicy } = this.options;
    const settings = backendSettings.parse(requireReadable(() => openLicenseBackend(secrets, document)));
    const made = { backend: createBackend(settings, signPolicy), type: settings.type };
    this.made.set(document, made);
    return made;
  }
}

function notConfigured(detail: string): Problem {
  return new Problem('license_backend_not_configured', detail);
}
