import type { ControlPlaneSchemas } from '@multi-drm/contracts';
import type { Database } from '../../database/database';
import { addEntriesForLicenseProfiles } from '../../publishing/dependent-outbox-entries';
import type { Change, ConditionalChange } from '../../records/change';
import type { Changes } from '../../records/changes';
import { type RecordReply, recordReply } from '../../records/record-reply';
import { requireChangeable, requireMatch } from '../../records/require-changeable';
import { requireParentUnarchived, requireUnarchived } from '../../records/require-unarchived';
import { requireUnused } from '../../records/require-unused';
import { rightsResponse } from '../../responses/rights';
import { profilesNeedingRights } from '../../stores/needed-by';
import { changeRights, insertRights, listRights, lockRights, readRights } from '../../stores/rights';
import { requireWindow, rightsValues } from './rights-values';

type RightsReply = RecordReply<ControlPlaneSchemas['RightsResponse']>;

interface RightsOptions {
  database: Database;
  changes: Changes;
}

/** Reusable playback rights of a project. */
export class RightsService {
  constructor(private readonly options: RightsOptions) {}

  /** All rights with the status, oldest first. */
  async list(projectId: string, status: 'active' | 'archived'): Promise<ControlPlaneSchemas['RightsResponse'][]> {
    return (await listRights(this.options.database, projectId, status)).map(rightsResponse);
  }

  async read(rightsId: string): Promise<RightsReply> {
    return recordReply(await readRights(this.options.database, rightsId), rightsResponse);
  }

  /** Throws `invalid_request` if the rights would end before they begin. */
  async create(
    projectId: string,
    request: ControlPlaneSchemas['CreateRightsRequest'],
    change: Change,
  ): Promise<RightsReply> {
    const values = { ...rightsValues(request), name: request.name, projectId };
    requireWindow(values);
    const made = await this.options.changes.createOnce(change, async (open) => {
      const { transaction, now } = open;
      await requireUnarchived(transaction, 'project', projectId);
      const created = await insertRights(transaction, values, now);
      await open.record('rights', 'create', { after: created });
      return created;
    });
    return 'repeatedId' in made ? this.read(made.repeatedId) : recordReply(made.created, rightsResponse);
  }

  /** Throws `precondition_failed`, `conflict`, or `invalid_request`. */
  async update(
    rightsId: string,
    request: ControlPlaneSchemas['UpdateRightsRequest'],
    change: ConditionalChange,
  ): Promise<RightsReply> {
    const values = rightsValues(request);
    const updated = await this.options.changes.run(change, async (open) => {
      const { transaction, now } = open;
      await requireParentUnarchived(transaction, 'project', 'rights', rightsId);
      const before = await lockRights(transaction, rightsId);
      requireChangeable(before, change.ifMatch, 'rights');
      requireWindow(values, before);
      const after = await changeRights(transaction, before.id, values, now);
      await addEntriesForLicenseProfiles(open, after.id);
      await open.record('rights', 'update', { before, after, details: { fields: Object.keys(values) } });
      return after;
    });
    return recordReply(updated, rightsResponse);
  }

  /** Archives rights; repeating it does nothing. Throws `precondition_failed`, or `record_in_use`. */
  async archive(rightsId: string, change: ConditionalChange): Promise<void> {
    await this.options.changes.run(change, async (open) => {
      const { transaction, now } = open;
      const before = await lockRights(transaction, rightsId);
      if (before.status === 'archived') return;
      requireMatch(before, change.ifMatch, 'rights');
      requireUnused([await profilesNeedingRights(transaction, before)]);
      const after = await changeRights(transaction, before.id, { status: 'archived' }, now);
      await open.record('rights', 'archive', { before, after });
    });
  }

  /**
   * Restores archived rights; others stay as they are. No active license profile uses them, so nothing needs to be
   * published. Throws `precondition_failed`, or `conflict` if the project is archived.
   */
  async restore(rightsId: string, change: ConditionalChange): Promise<RightsReply> {
    const restored = await this.options.changes.run(change, async (open) => {
      const { transaction, now } = open;
      await requireParentUnarchived(transaction, 'project', 'rights', rightsId, 'restore it first');
      const before = await lockRights(transaction, rightsId);
      requireMatch(before, change.ifMatch, 'rights');
      if (before.status !== 'archived') return before;
      const after = await changeRights(transaction, before.id, { status: 'active' }, now);
      await open.record('rights', 'restore', { before, after });
      return after;
    });
    return recordReply(restored, rightsResponse);
  }
}
