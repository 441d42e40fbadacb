import type { ControlPlaneSchemas } from '@multi-drm/contracts';
import type { Change, ConditionalChange } from '../../records/change';
import { etagOf, parseIfMatch } from '../../records/if-match';
import { licenseProfileResponse } from './license-profile-response';
import type { LicenseProfileRecord, LicenseProfileStore } from './license-profile-store';

/** A license profile and its ETag. */
interface VersionedLicenseProfile {
  licenseProfile: ControlPlaneSchemas['LicenseProfileResponse'];
  etag: string;
}

interface LicenseProfileOptions {
  store: LicenseProfileStore;
  publisher: { wake(): void };
  now: () => Date;
}

/** Reusable license policies of a project, which playback sessions select by name. */
export class LicenseProfileService {
  constructor(private readonly options: LicenseProfileOptions) {}

  /** All profiles with the status, oldest first. */
  async list(
    projectId: string,
    status: 'active' | 'archived',
  ): Promise<ControlPlaneSchemas['LicenseProfileResponse'][]> {
    return (await this.options.store.list(projectId, status)).map(licenseProfileResponse);
  }

  async read(licenseProfileId: string): Promise<VersionedLicenseProfile> {
    return versioned(await this.options.store.read(licenseProfileId));
  }

  /** Throws `invalid_request`, or `conflict` if the name is taken. */
  async create(
    projectId: string,
    request: ControlPlaneSchemas['CreateLicenseProfileRequest'],
    change: Change,
  ): Promise<VersionedLicenseProfile> {
    const { store, publisher, now } = this.options;
    const made = await store.create(projectId, request, change, now());
    if ('repeatedId' in made) return this.read(made.repeatedId);
    publisher.wake();
    return versioned(made.created);
  }

  /** Throws `precondition_required`, `precondition_failed`, `conflict`, `invalid_request`, or `record_in_use`. */
  async update(
    licenseProfileId: string,
    ifMatch: string | undefined,
    request: ControlPlaneSchemas['UpdateLicenseProfileRequest'],
    change: Change,
  ): Promise<VersionedLicenseProfile> {
    const { store, publisher, now } = this.options;
    const updated = await store.update(licenseProfileId, parseIfMatch(ifMatch), request, change, now());
    publisher.wake();
    return versioned(updated);
  }

  /** Archives a profile; repeating it does nothing. Throws `record_in_use`. */
  async archive(licenseProfileId: string, change: ConditionalChange): Promise<void> {
    const { store, publisher, now } = this.options;
    if (await store.archive(licenseProfileId, change, now())) publisher.wake();
  }

  /**
   * Restores an archived license profile; others stay as they are. Throws `precondition_failed`, or `conflict` if its
   * project or its rights are archived.
   */
  async restore(licenseProfileId: string, change: ConditionalChange): Promise<VersionedLicenseProfile> {
    const { store, publisher, now } = this.options;
    const restored = await store.restore(licenseProfileId, change, now());
    publisher.wake();
    return versioned(restored);
  }
}

function versioned(record: LicenseProfileRecord): VersionedLicenseProfile {
  return { licenseProfile: licenseProfileResponse(record), etag: etagOf(record.version) };
}
