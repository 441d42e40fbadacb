import { type ControlPlaneSchemas, invalidRequest, Problem } from '@multi-drm/contracts';
import type { AddressGuard, Secrets } from '@multi-drm/service-kit';
import { recordAudit } from '../../audit/record-audit';
import type { Database } from '../../database/database';
import { addOutboxEntry } from '../../publishing/outbox-entries';
import { type ConditionalChange, organizationOf } from '../../records/change';
import type { Changes } from '../../records/changes';
import { etagOf } from '../../records/if-match';
import { requireMatch } from '../../records/require-changeable';
import { type DrmSystemRecord, readDrmSystem, replaceDrmSystem } from '../../stores/drm-systems';
import { raiseVersionOfEnvironment, readEnvironmentIdentity } from '../../stores/environments';
import type { LicenseWarningService } from '../license-warnings/license-warning-service';
import { BackendSecrets } from './backend-secrets';
import { splitSettings } from './backend-settings';
import { pemToBase64Der } from './certificate-validation';
import { drmSystemResponse } from './drm-system-response';
import { drmSystemErrors } from './drm-system-validation';

type DrmSystem = ControlPlaneSchemas['DrmSystem'];

/** The record's name in the audit trail. */
export function drmSystemRecordId(environmentId: string, drmSystem: DrmSystem): string {
  return `${environmentId}/${drmSystem}`;
}

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
  database: Database;
  changes: Changes;
  secrets: Secrets;
  guard: AddressGuard;
  warnings: Pick<LicenseWarningService, 'ofConfiguration'>;
}

/** The DRM system settings of environments. */
export class DrmSystemService {
  constructor(private readonly options: DrmSystemOptions) {}

  async read(environmentId: string, drmSystem: DrmSystem): Promise<VersionedDrmSystem> {
    return versioned(await readDrmSystem(this.options.database, environmentId, drmSystem));
  }

  /**
   * Replaces all settings including secrets. Throws `invalid_request`, `precondition_failed`, `conflict` or
   * `service_unavailable`.
   */
  async configure(
    inEnvironment: string,
    drmSystem: DrmSystem,
    sent: ControlPlaneSchemas['ConfigureDrmSystemRequest'],
    change: ConditionalChange,
  ): Promise<ConfiguredDrmSystem> {
    const { database, changes, secrets, guard, warnings } = this.options;
    const { id: environmentId, kind } = await readEnvironmentIdentity(database, inEnvironment);
    const request = sent.certificate === undefined ? sent : { ...sent, certificate: pemToBase64Der(sent.certificate) };
    const errors = drmSystemErrors(request, { drmSystem, kind, guard });
    if (Object.keys(errors).length > 0) throw invalidRequest(errors);
    const { enabled, backend, certificate } = request;
    const settings = backend && splitSettings(backend);
    const backendSecrets = new BackendSecrets(secrets, { environmentId, drmSystem });
    const values = {
      enabled,
      backend: backend?.type ?? null,
      backendSettings: settings?.open ?? null,
      backendSecrets: backendSecrets.encrypt(settings?.secret ?? {}),
      certificate: certificate ?? null,
    };
    const configured = await changes.run(change, async ({ transaction, actor, now }) => {
      if (!(await raiseVersionOfEnvironment(transaction, environmentId, now))) {
        throw new Problem('conflict', 'The environment is archived: it can be read but not changed.');
      }
      const before = await readDrmSystem(transaction, environmentId, drmSystem);
      requireMatch(before, change.ifMatch, 'DRM system');
      const after = await replaceDrmSystem(transaction, before, values, now);
      await addOutboxEntry(transaction, 'environment', environmentId);
      const changedSecrets = backendSecrets.changed(storedSecretsOf(before), settings?.secret ?? {});
      const entry = {
        organizationId: organizationOf(actor),
        action: 'drmSystem.configure',
        recordType: 'drmSystem',
        recordId: drmSystemRecordId(environmentId, drmSystem),
        details: { fields: Object.keys(request), ...(changedSecrets.length === 0 ? {} : { changedSecrets }) },
        before: drmSystemResponse(before),
        after: drmSystemResponse(after),
      };
      await recordAudit(transaction, actor, entry, now);
      return after;
    });
    const { drmSystem: shown, etag } = versioned(configured);
    return { drmSystem: { ...shown, warnings: await warnings.ofConfiguration(environmentId, drmSystem) }, etag };
  }
}

function versioned(record: DrmSystemRecord): VersionedDrmSystem {
  return { drmSystem: drmSystemResponse(record), etag: etagOf(record.version) };
}

/** The encrypted secrets of a backend by name. */
function storedSecretsOf({ backendSecrets }: DrmSystemRecord): Record<string, string> {
  // Safe: only what `replaceDrmSystem` and the rotation of secrets take is stored.
  return (backendSecrets ?? {}) as Record<string, string>;
}
