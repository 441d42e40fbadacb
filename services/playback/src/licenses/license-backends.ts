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

/**
 * Creates the license backend of a published document. Throws the problem `license_backend_not_configured` if there is no backend, if
 * it is disabled, or if it is ClearKey outside of development, because anyone with a token could then read the content keys.
 */
export type FindBackend = (document: LicenseBackendDocument | null, environment: Environment) => ConfiguredBackend;

/** Each backend is cached for the lifetime of its document object. */
export function licenseBackends({ secrets, signPolicy }: { secrets: Secrets; signPolicy: SignPolicy }): FindBackend {
  const backends = new WeakMap<LicenseBackendDocument, ConfiguredBackend>();
  return (document, { kind }) => {
    if (document === null || !document.enabled || document.backend === null) {
      throw notConfigured('The environment has no license backend for the DRM system.');
    }
    if (document.backend.type === 'clearkey' && kind !== 'development') {
      throw notConfigured('ClearKey is available in development environments only.');
    }
    const known = backends.get(document);
    if (known !== undefined) return known;
    const settings = backendSettings.parse(requireReadable(() => openLicenseBackend(secrets, document)));
    const configured = { backend: createBackend(settings, signPolicy), type: settings.type };
    backends.set(document, configured);
    return configured;
  };
}

function notConfigured(detail: string): Problem {
  return new Problem('license_backend_not_configured', detail);
}
