import { type ControlPlaneSchemas, Problem } from '@multi-drm/contracts';
import type { Database } from '../../database/database';
import { isUniqueViolation } from '../../database/unique-violation';
import { addEntriesForContent } from '../../publishing/dependent-outbox-entries';
import type { Change, ConditionalChange } from '../../records/change';
import type { Changes } from '../../records/changes';
import { type RecordReply, recordReply } from '../../records/record-reply';
import { requireChangeable, requireMatch } from '../../records/require-changeable';
import { requireParentUnarchived, requireUnarchived } from '../../records/require-unarchived';
import { requireUnused } from '../../records/require-unused';
import { licenseProfileResponse } from '../../responses/license-profiles';
import {
  changeLicenseProfile,
  findArchivedLicenseProfile,
  insertLicenseProfile,
  listLicenseProfiles,
  lockLicenseProfile,
  readLicenseProfile,
} from '../../stores/license-profiles';
import { lockActive } from '../../stores/lock-row';
import { contentNeedingProfile, environmentsNeedingProfile } from '../../stores/needed-by';
import { requireValidProfile } from './license-profile-validation';

type LicenseProfileReply = RecordReply<ControlPlaneSchemas['LicenseProfileResponse']>;

interface LicenseProfileOptions {
  database: Database;
  changes: Changes;
}

/** Reusable license policies of a project, which playback sessions select by name. */
export class LicenseProfileService {
  constructor(private readonly options: LicenseProfileOptions) {}

  /** All profiles with the status, oldest first. */
  async list(
    projectId: string,
    filter: { status: 'active' | 'archived'; rightsId?: string | undefined },
  ): Promise<ControlPlaneSchemas['LicenseProfileResponse'][]> {
    return (await listLicenseProfiles(this.options.database, projectId, filter)).map(licenseProfileResponse);
  }

  async read(licenseProfileId: string): Promise<LicenseProfileReply> {
    return recordReply(await readLicenseProfile(this.options.database, licenseProfileId), licenseProfileResponse);
  }

  /** Throws `invalid_request`, or `conflict` if the name is taken. */
  async create(
    projectId: string,
    request: ControlPlaneSchemas['CreateLicenseProfileRequest'],
    change: Change,
  ): Promise<LicenseProfileReply> {
    const { database, changes } = this.options;
    try {
      const made = await changes.createOnce(change, async (open) => {
        const { transaction, now } = open;
        await requireUnarchived(transaction, 'project', projectId);
        await requireValidProfile(transaction, projectId, request);
        const created = await insertLicenseProfile(transaction, { ...request, projectId }, now);
        await open.record('licenseProfile', 'create', { after: created });
        return created;
      });
      if ('repeatedId' in made) return this.read(made.repeatedId);
      return recordReply(made.created, licenseProfileResponse);
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      throw nameTaken(await findArchivedLicenseProfile(database, projectId, request.name));
    }
  }

  /** Throws `precondition_failed`, `conflict`, `invalid_request`, or `record_in_use`. */
  async update(
    licenseProfileId: string,
    sent: ControlPlaneSchemas['UpdateLicenseProfileRequest'],
    change: ConditionalChange,
  ): Promise<LicenseProfileReply> {
    const { database, changes } = this.options;
    try {
      const updated = await changes.run(change, async (open) => {
        const { transaction, now } = open;
        await requireParentUnarchived(transaction, 'project', 'license_profile', licenseProfileId);
        const before = await lockLicenseProfile(transaction, licenseProfileId);
        requireChangeable(before, change.ifMatch, 'license profile');
        await requireValidProfile(transaction, before.projectId, sent);
        const renamed = sent.name !== undefined && sent.name !== before.name;
        // Environments refer to profiles by name. Content refers by id, but its published document contains the name.
        if (renamed) requireUnused([await environmentsNeedingProfile(transaction, before)]);
        const after = await changeLicenseProfile(transaction, before.id, sent, now);
        if (renamed) await addEntriesForContent(transaction, after.id);
        await open.record('licenseProfile', 'update', { before, after, details: { fields: Object.keys(sent) } });
        return after;
      });
      return recordReply(updated, licenseProfileResponse);
    } catch (error) {
      if (sent.name === undefined || !isUniqueViolation(error)) throw error;
      const { projectId } = await readLicenseProfile(database, licenseProfileId);
      throw nameTaken(await findArchivedLicenseProfile(database, projectId, sent.name));
    }
  }

  /** Archives a profile; repeating it does nothing. Throws `precondition_failed` or `record_in_use`. */
  async archive(licenseProfileId: string, change: ConditionalChange): Promise<void> {
    await this.options.changes.run(change, async (open) => {
      const { transaction, now } = open;
      const before = await lockLicenseProfile(transaction, licenseProfileId);
      if (before.status === 'archived') return;
      requireMatch(before, change.ifMatch, 'license profile');
      requireUnused([
        await environmentsNeedingProfile(transaction, before),
        await contentNeedingProfile(transaction, before.id),
      ]);
      const after = await changeLicenseProfile(transaction, before.id, { status: 'archived' }, now);
      await open.record('licenseProfile', 'archive', { before, after });
    });
  }

  /**
   * Restores an archived license profile; others stay as they are. Throws `precondition_failed`, or `conflict` if its
   * project or its rights are archived.
   */
  async restore(licenseProfileId: string, change: ConditionalChange): Promise<LicenseProfileReply> {
    const restored = await this.options.changes.run(change, async (open) => {
      const { transaction, now } = open;
      await requireParentUnarchived(transaction, 'project', 'license_profile', licenseProfileId, 'restore it first');
      const before = await lockLicenseProfile(transaction, licenseProfileId);
      requireMatch(before, change.ifMatch, 'license profile');
      if (before.status !== 'archived') return before;
      const { projectId, rightsId } = before;
      if (rightsId !== null && !(await lockActive(transaction, 'rights', projectId, rightsId))) {
        throw new Problem('conflict', `The rights ${rightsId} are archived: restore them first.`);
      }
      const after = await changeLicenseProfile(transaction, before.id, { status: 'active' }, now);
      await open.record('licenseProfile', 'restore', { before, after });
      return after;
    });
    return recordReply(restored, licenseProfileResponse);
  }
}

/** For an archived profile, which lists hide by default, the error also says how to restore it. */
function nameTaken(archivedId: string | undefined): Problem {
  if (archivedId === undefined) {
    return new Problem('conflict', 'The project already has a license profile with this name.');
  }
  return new Problem(
    'conflict',
    `The archived license profile ${archivedId} has this name. ` +
      `Restore it with POST /api/v1/management/license-profiles/${archivedId}/restore.`,
  );
}
