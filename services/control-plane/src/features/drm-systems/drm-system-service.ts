import { type ControlPlaneSchemas, invalidRequest, Problem } from '@multi-drm/contracts';
import { splitSettings } from '@multi-drm/license-backends';
import type { AddressGuard, Secrets } from '@multi-drm/service-kit';
import type { Database } from '../../database/database';
import type { ConditionalChange } from '../../records/change';
import type { Changes } from '../../records/changes';
import type { OpenChange } from '../../records/open-change';
import { type RecordReply, recordReply } from '../../records/record-reply';
import { requireChangeable, requireMatch } from '../../records/require-changeable';
import { drmSystemResponse } from '../../responses/drm-systems';
import {
  type DrmSystemRecord,
  nothingConfigured,
  readDrmSystem,
  replaceDrmSystem,
  setDrmSystemEnabled,
} from '../../stores/drm-systems';
import { lockEnvironment, readEnvironmentIdentity } from '../../stores/environments';
import type { LicenseWarningService } from '../license-warnings/license-warning-service';
import { BackendSecrets } from './backend-secrets';
import { pemToBase64Der } from './certificate-validation';
import { drmSystemErrors } from './drm-system-validation';

type DrmSystem = ControlPlaneSchemas['DrmSystem'];

/** The settings after a change, with their license warnings. */
type ConfiguredReply = RecordReply<ControlPlaneSchemas['ConfiguredDrmSystemResponse']>;

interface DrmSystemOptions {
  database: Database;
  changes: Changes;
  secrets: Secrets;
  guard: AddressGuard;
  warnings: Pick<LicenseWarningService, 'forDrmSystem'>;
}

/** The DRM system settings of environments. */
export class DrmSystemService {
  constructor(private readonly options: DrmSystemOptions) {}

  async read(
    environmentId: string,
    drmSystem: DrmSystem,
  ): Promise<RecordReply<ControlPlaneSchemas['DrmSystemConfigurationResponse']>> {
    return recordReply(await readDrmSystem(this.options.database, environmentId, drmSystem), drmSystemResponse);
  }

  /**
   * Replaces all settings including secrets. Throws `invalid_request`, `precondition_failed`, `service_unavailable`, or
   * `conflict` if no backend is sent while secrets are stored.
   */
  async configure(
    inEnvironment: string,
    drmSystem: DrmSystem,
    sent: ControlPlaneSchemas['ConfigureDrmSystemRequest'],
    change: ConditionalChange,
  ): Promise<ConfiguredReply> {
    const { database, changes, secrets, guard } = this.options;
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
    const configured = await changes.run(change, async (open) => {
      const before = await lockDrmSystem(open, environmentId, drmSystem);
      requireMatch(before, change.ifMatch, 'DRM system');
      if (backend === undefined) requireNoSecrets(before);
      const after = await replaceDrmSystem(open.transaction, before, values, open.now);
      const changedSecrets = backendSecrets.changed(storedSecretsOf(before), settings?.secret ?? {});
      const details = { fields: Object.keys(request), ...named(changedSecrets) };
      await open.record('drmSystem', 'configure', { before, after, details });
      return after;
    });
    return this.withWarnings(configured);
  }

  /**
   * Pauses or resumes a DRM system, which keeps all its other settings. Throws `precondition_failed`,
   * or `conflict` if no license backend is configured.
   */
  async setEnabled(
    environmentId: string,
    drmSystem: DrmSystem,
    enabled: boolean,
    change: ConditionalChange,
  ): Promise<ConfiguredReply> {
    const changed = await this.options.changes.run(change, async (open) => {
      const before = await lockDrmSystem(open, environmentId, drmSystem);
      requireMatch(before, change.ifMatch, 'DRM system');
      if (enabled) requireBackend(before);
      const after = await setDrmSystemEnabled(open.transaction, before, enabled, open.now);
      await open.record('drmSystem', 'update', { before, after, details: { fields: ['enabled'] } });
      return after;
    });
    return this.withWarnings(changed);
  }

  /**
   * Disables a DRM system and deletes its license backend, secrets and certificate; repeating it does nothing. Throws
   * `precondition_failed` or `conflict`.
   */
  async remove(environmentId: string, drmSystem: DrmSystem, change: ConditionalChange): Promise<void> {
    await this.options.changes.run(change, async (open) => {
      const before = await lockDrmSystem(open, environmentId, drmSystem);
      if (!before.enabled && before.backend === null && before.certificate === null) return;
      requireMatch(before, change.ifMatch, 'DRM system');
      const after = await replaceDrmSystem(open.transaction, before, nothingConfigured, open.now);
      const removed = Object.keys(storedSecretsOf(before));
      await open.record('drmSystem', 'remove', { before, after, details: named(removed) });
    });
  }

  private async withWarnings(record: DrmSystemRecord): Promise<ConfiguredReply> {
    const warnings = await this.options.warnings.forDrmSystem(record.environmentId, record.drmSystem);
    return recordReply(record, (changed) => ({ ...drmSystemResponse(changed), warnings }));
  }
}

/** Reads the settings, which stay as they are until the transaction ends. Throws `conflict`. */
async function lockDrmSystem(
  { transaction }: OpenChange,
  environmentId: string,
  drmSystem: DrmSystem,
): Promise<DrmSystemRecord> {
  requireChangeable(await lockEnvironment(transaction, environmentId), 'any', 'environment');
  return readDrmSystem(transaction, environmentId, drmSystem);
}

/** A vendor's secrets cannot be read back, so nobody may delete them who only meant to pause the DRM system. */
function requireNoSecrets(record: DrmSystemRecord): void {
  if (Object.keys(storedSecretsOf(record)).length === 0) return;
  throw new Problem(
    'conflict',
    'Secrets of a license backend are stored, and a PUT without `backend` would delete them. PATCH {"enabled": false} ' +
      'pauses the DRM system and keeps them; DELETE removes them.',
  );
}

function requireBackend({ backend }: DrmSystemRecord): void {
  if (backend !== null) return;
  throw new Problem('conflict', 'The DRM system has no license backend: configure it with PUT.');
}

/** The names of changed secrets, if there are any, as a detail of an audit event. */
function named(changedSecrets: string[]): { changedSecrets?: string[] } {
  return changedSecrets.length === 0 ? {} : { changedSecrets };
}

/** The encrypted secrets of a backend by name. */
function storedSecretsOf({ backendSecrets }: DrmSystemRecord): Record<string, string> {
  // Safe: only what `replaceDrmSystem` and the rotation of secrets take is stored.
  return (backendSecrets ?? {}) as Record<string, string>;
}
