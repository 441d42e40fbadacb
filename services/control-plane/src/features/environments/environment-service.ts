import { type ControlPlaneSchemas, invalidRequest, Problem } from '@multi-drm/contracts';
import type { ActiveSessionCounter } from '../../active-sessions/active-session-counter';
import type { Database, Transaction } from '../../database/database';
import { addEntriesForEndUsers, publishLikeNew } from '../../publishing/outbox-entries';
import type { Change, ConditionalChange } from '../../records/change';
import type { Changes } from '../../records/changes';
import { type RecordReply, recordReply } from '../../records/record-reply';
import { requireChangeable, requireMatch } from '../../records/require-changeable';
import { requireRoom } from '../../records/require-room';
import { requireUnarchived } from '../../records/require-unarchived';
import { environmentResponse } from '../../responses/environments';
import { lockActiveProfileOfName } from '../../stores/environment-needs';
import {
  changeEnvironment,
  countEnvironments,
  listEnvironments,
  lockEnvironment,
  readEnvironment,
  readEnvironmentIdentity,
} from '../../stores/environments';
import { lockRow } from '../../stores/lock-row';
import { type LockedPlan, lockPlan } from '../../stores/organizations';
import { lockProject } from '../../stores/projects';
import { platformCapabilities } from '../platform/platform-capabilities';
import { addEnvironment } from './new-environment';
import { recordEnvironmentMove } from './record-environment';
import { requireEnvironmentsUnused } from './require-environments-unused';
import { requireKindFree } from './require-kind-free';
import { requireRestorable } from './require-restorable';
import { settingsErrors } from './settings-validation';

type EnvironmentResponse = ControlPlaneSchemas['EnvironmentResponse'];

interface EnvironmentOptions {
  database: Database;
  changes: Changes;
  activeSessions: Pick<ActiveSessionCounter, 'count'>;
}

/** Environments of a project and their settings. */
export class EnvironmentService {
  constructor(private readonly options: EnvironmentOptions) {}

  /** All environments with the status, oldest first. */
  async list(projectId: string, status: 'active' | 'archived'): Promise<EnvironmentResponse[]> {
    return (await listEnvironments(this.options.database, projectId, status)).map(environmentResponse);
  }

  async read(environmentId: string): Promise<RecordReply<EnvironmentResponse>> {
    return recordReply(await readEnvironment(this.options.database, environmentId), environmentResponse);
  }

  /**
   * Adds an environment, or returns the one added by an earlier request with the same Idempotency-Key. Throws
   * `plan_limit_reached`, `conflict` if the project may have only one environment of this kind, or
   * `idempotency_key_reused`.
   */
  async create(
    projectId: string,
    { kind, name }: ControlPlaneSchemas['CreateEnvironmentRequest'],
    change: Change,
  ): Promise<RecordReply<EnvironmentResponse>> {
    const made = await this.options.changes.createOnce(change, async (open) => {
      const { transaction, organizationId } = open;
      const plan = await lockPlan(transaction, organizationId);
      await requireUnarchived(transaction, 'organization', organizationId);
      await requireUnarchived(transaction, 'project', projectId);
      // Checked before the plan's limit, because a larger plan would not help.
      await requireKindFree(transaction, projectId, kind);
      await requireRoomForEnvironment(transaction, plan, projectId);
      const environment = await addEnvironment(open, projectId, kind, name);
      await addEntriesForEndUsers(transaction, projectId);
      return environment;
    });
    return 'repeatedId' in made ? this.read(made.repeatedId) : recordReply(made.created, environmentResponse);
  }

  /**
   * Changes name and settings if they have not changed since the caller read them. Throws `invalid_request`,
   * `precondition_failed`, or `conflict` if the environment is archived.
   */
  async update(
    environmentId: string,
    { name, settings = {} }: ControlPlaneSchemas['UpdateEnvironmentRequest'],
    change: ConditionalChange,
  ): Promise<RecordReply<EnvironmentResponse>> {
    const values = { ...(name === undefined ? {} : { name }), ...settings };
    const fields = [
      ...(name === undefined ? [] : ['name']),
      ...Object.keys(settings).map((field) => `settings.${field}`),
    ];
    const updated = await this.options.changes.run(change, async (open) => {
      const { transaction, now } = open;
      // Locks the profile before the environment, as archiving a profile does: the same lock order prevents deadlocks.
      const hasTemplate = await lockTemplate(transaction, environmentId, settings.defaultLicensePolicyTemplate);
      const before = await lockEnvironment(transaction, environmentId);
      requireChangeable(before, change.ifMatch, 'environment');
      const errors = settingsErrors(settings, { ...before, ...settings }, hasTemplate);
      if (Object.keys(errors).length > 0) throw invalidRequest(errors);
      const after = await changeEnvironment(transaction, environmentId, values, now);
      await open.record('environment', 'update', { before, after, details: { fields } });
      return after;
    });
    return recordReply(updated, environmentResponse);
  }

  /**
   * Archives an environment; an archived one stays as it is. Throws `precondition_failed` and, unless `cascade` is set,
   * `record_in_use` if the environment has published content or active sessions, or `service_unavailable` if sessions
   * cannot be counted.
   */
  async archive(environmentId: string, cascade: boolean, change: ConditionalChange): Promise<void> {
    const { changes, activeSessions } = this.options;
    await changes.run(change, async (open) => {
      const { transaction, now } = open;
      const { projectId } = await readEnvironmentIdentity(transaction, environmentId);
      // Locks the project first, as archiving a project does: the same lock order prevents deadlocks.
      await lockRow(transaction, 'project', projectId);
      const present = await lockEnvironment(transaction, environmentId);
      if (present.status === 'archived') return;
      requireMatch(present, change.ifMatch, 'environment');
      if (!cascade) await requireEnvironmentsUnused(transaction, activeSessions, [present.id]);
      await changeEnvironment(transaction, present.id, { status: 'archived' }, now);
      await addEntriesForEndUsers(transaction, projectId);
      await recordEnvironmentMove(open, 'archive', present, cascade ? { cascade } : {});
    });
  }

  /**
   * Restores an archived environment with its content; others stay as they are. Throws `precondition_failed`,
   * `plan_limit_reached`, or `conflict` if its project or a license profile that it needs is archived, or if the
   * project has another environment of its kind.
   */
  async restore(environmentId: string, change: ConditionalChange): Promise<RecordReply<EnvironmentResponse>> {
    const restored = await this.options.changes.run(change, async (open) => {
      const { transaction, organizationId, now } = open;
      const { projectId } = await readEnvironmentIdentity(transaction, environmentId);
      const plan = await lockPlan(transaction, organizationId);
      const project = await lockProject(transaction, projectId);
      const present = await lockEnvironment(transaction, environmentId);
      if (project.status === 'archived') throw new Problem('conflict', 'The project is archived: restore it first.');
      requireMatch(present, change.ifMatch, 'environment');
      if (present.status !== 'archived') return present;
      await requireKindFree(transaction, projectId, present.kind);
      await requireRoomForEnvironment(transaction, plan, projectId);
      await requireRestorable(transaction, { plan, projectId, environments: [present] });
      const environment = await changeEnvironment(transaction, present.id, { status: 'active' }, now);
      await addEntriesForEndUsers(transaction, projectId);
      await publishLikeNew(transaction, [environment.id]);
      await recordEnvironmentMove(open, 'restore', environment);
      return environment;
    });
    return recordReply(restored, environmentResponse);
  }
}

async function requireRoomForEnvironment(transaction: Transaction, plan: LockedPlan, projectId: string): Promise<void> {
  await requireRoom(plan, 'environmentsPerProject', () => countEnvironments(transaction, projectId));
}

/** Whether the template exists; a license profile is locked against archiving until the commit. */
async function lockTemplate(
  transaction: Transaction,
  environmentId: string,
  name: string | null | undefined,
): Promise<boolean> {
  if (name === undefined || name === null || platformCapabilities.policyTemplates.includes(name)) return true;
  return lockActiveProfileOfName(transaction, environmentId, name);
}
