import { type ControlPlaneSchemas, invalidRequest, Problem, secretPlaces } from '@multi-drm/contracts';
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
import { type BackendSettings, splitSettings } from './backend-settings';
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
    const { database, changes, guard, warnings } = this.options;
    const { id: environmentId, kind } = await readEnvironmentIdentity(database, inEnvironment);
    const request = sent.certificate === undefined ? sent : { ...sent, certificate: pemToBase64Der(sent.certificate) };
    const errors = drmSystemErrors(request, { drmSystem, kind, guard });
    if (Object.keys(errors).length > 0) throw invalidRequest(errors);
    const values = this.valuesOf(environmentId, drmSystem, request);
    const configured = await changes.run(change, async ({ transaction, actor, now }) => {
      if (!(await raiseVersionOfEnvironment(transaction, environmentId, now))) {
        throw new Problem('conflict', 'The environment is archived: it can be read but not changed.');
      }
      const before = await readDrmSystem(transaction, environmentId, drmSystem);
      requireMatch(before, change.ifMatch, 'DRM system');
      const after = await replaceDrmSystem(transaction, before, values, now);
      await addOutboxEntry(transaction, 'environment', environmentId);
      const entry = {
        organizationId: organizationOf(actor),
        action: 'drmSystem.configure',
        recordType: 'drmSystem',
        recordId: drmSystemRecordId(environmentId, drmSystem),
        details: { fields: Object.keys(request) },
        before: drmSystemResponse(before),
        after: drmSystemResponse(after),
      };
      await recordAudit(transaction, actor, entry, now);
      return after;
    });
    const { drmSystem: shown, etag } = versioned(configured);
    return { drmSystem: { ...shown, warnings: await warnings.ofConfiguration(environmentId, drmSystem) }, etag };
  }

  /** The stored form of a request's settings. */
  private valuesOf(
    environmentId: string,
    drmSystem: DrmSystem,
    { enabled, backend, certificate }: ControlPlaneSchemas['ConfigureDrmSystemRequest'],
  ) {
    const settings = backend === undefined ? undefined : splitSettings(backend);
    return {
      enabled,
      backend: backend?.type ?? null,
      backendSettings: settings?.open ?? null,
      backendSecrets: settings === undefined ? null : this.encrypt(environmentId, drmSystem, settings.secret),
      certificate: certificate ?? null,
    };
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
