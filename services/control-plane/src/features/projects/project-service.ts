import type { ControlPlaneSchemas } from '@multi-drm/contracts';
import type { ActiveSessionCounter } from '../../active-sessions/active-session-counter';
import type { Database, Transaction } from '../../database/database';
import { addEntriesForEndUsers, publishLikeNew } from '../../publishing/outbox-entries';
import type { Change, ConditionalChange } from '../../records/change';
import type { Changes } from '../../records/changes';
import type { OpenChange } from '../../records/open-change';
import { type RecordReply, recordReply } from '../../records/record-reply';
import { requireChangeable, requireMatch } from '../../records/require-changeable';
import { requireRoom } from '../../records/require-room';
import { requireUnarchived } from '../../records/require-unarchived';
import { environmentResponse } from '../../responses/environments';
import { projectResponse } from '../../responses/projects';
import { listApiClientIds } from '../../stores/api-clients';
import {
  archiveEnvironmentsWithProject,
  type EnvironmentRecord,
  listEnvironments,
  listEnvironmentsArchivedWithProject,
  lockActiveEnvironments,
  restoreEnvironmentsWithProject,
} from '../../stores/environments';
import { type LockedPlan, lockPlan } from '../../stores/organizations';
import {
  changeProject,
  countProjects,
  insertProject,
  listProjects,
  lockProject,
  type ProjectRecord,
  readProject,
} from '../../stores/projects';
import { addEnvironment } from '../environments/new-environment';
import { recordEnvironmentMove } from '../environments/record-environment';
import { requireEnvironmentsUnused } from '../environments/require-environments-unused';
import { requireRestorable } from '../environments/require-restorable';

type ProjectResponse = ControlPlaneSchemas['ProjectResponse'];

interface ProjectOptions {
  database: Database;
  changes: Changes;
  activeSessions: Pick<ActiveSessionCounter, 'count'>;
}

/** Projects of an organization. */
export class ProjectService {
  constructor(private readonly options: ProjectOptions) {}

  /** All projects with the status, oldest first. */
  async list(organizationId: string, status: 'active' | 'archived'): Promise<ProjectResponse[]> {
    return (await listProjects(this.options.database, organizationId, status)).map(projectResponse);
  }

  async read(projectId: string): Promise<RecordReply<ProjectResponse>> {
    return recordReply(await readProject(this.options.database, projectId), projectResponse);
  }

  /**
   * Creates a project with a development and a production environment, or returns the one created by an earlier request
   * with the same Idempotency-Key. Throws `plan_limit_reached`, `conflict` or `idempotency_key_reused`.
   */
  async create(
    organizationId: string,
    { name, description }: ControlPlaneSchemas['CreateProjectRequest'],
    change: Change,
  ): Promise<RecordReply<ProjectResponse>> {
    const { database, changes } = this.options;
    const made = await changes.createOnce(change, async (open) => {
      const { transaction, now } = open;
      await requireRoomForProject(transaction, await lockPlan(transaction, organizationId));
      await requireUnarchived(transaction, 'organization', organizationId);
      const project = await insertProject(transaction, { organizationId, name, description: description ?? null }, now);
      await open.record('project', 'create', { after: project });
      const environments: EnvironmentRecord[] = [];
      for (const kind of ['development', 'production'] as const) {
        environments.push(await addEnvironment(open, project.id, kind));
      }
      return { ...project, environments };
    });
    if ('created' in made) return withEnvironments(made.created, made.created.environments);
    const { repeatedId: id } = made;
    return withEnvironments(await readProject(database, id), await listEnvironments(database, id, 'active'));
  }

  /**
   * Updates a project if it has not changed since the caller read it. Throws `precondition_failed`,
   * or `conflict` if it is archived.
   */
  async update(
    projectId: string,
    values: ControlPlaneSchemas['UpdateProjectRequest'],
    change: ConditionalChange,
  ): Promise<RecordReply<ProjectResponse>> {
    const updated = await this.options.changes.run(change, async (open) => {
      const before = await lockProject(open.transaction, projectId);
      requireChangeable(before, change.ifMatch, 'project');
      const after = await changeProject(open.transaction, projectId, values, open.now);
      await open.record('project', 'update', { before, after, details: { fields: Object.keys(values) } });
      return after;
    });
    return recordReply(updated, projectResponse);
  }

  /**
   * Archives a project with its environments; an archived one stays as it is. Throws `precondition_failed` and, unless
   * `cascade` is set, `record_in_use` if an environment has published content or active sessions, or
   * `service_unavailable` if sessions cannot be counted.
   */
  async archive(projectId: string, cascade: boolean, change: ConditionalChange): Promise<void> {
    const { changes, activeSessions } = this.options;
    await changes.run(change, async (open) => {
      const { transaction, now } = open;
      const before = await lockProject(transaction, projectId);
      if (before.status === 'archived') return;
      requireMatch(before, change.ifMatch, 'project');
      const environmentIds = await lockActiveEnvironments(transaction, projectId);
      if (!cascade) await requireEnvironmentsUnused(transaction, activeSessions, environmentIds);
      const after = await changeProject(transaction, projectId, { status: 'archived' }, now);
      const details = cascade ? { cascade } : {};
      await open.record('project', 'archive', { before, after, details });
      for (const environment of await archiveEnvironmentsWithProject(transaction, environmentIds, now)) {
        await recordEnvironmentMove(open, 'archive', environment, details);
      }
      await publishApiClients(open, projectId);
      await addEntriesForEndUsers(transaction, projectId);
    });
  }

  /**
   * Restores an archived project with its API clients and the environments that were archived with it; others stay as
   * they are. Throws `precondition_failed`, `plan_limit_reached`, or `conflict` if a license profile that one of its
   * environments needs is archived.
   */
  async restore(projectId: string, change: ConditionalChange): Promise<RecordReply<ProjectResponse>> {
    const restored = await this.options.changes.run(change, async (open) => {
      const { transaction, organizationId, now } = open;
      const plan = await lockPlan(transaction, organizationId);
      const before = await lockProject(transaction, projectId);
      requireMatch(before, change.ifMatch, 'project');
      if (before.status !== 'archived') return before;
      await requireRoomForProject(transaction, plan);
      const environments = await listEnvironmentsArchivedWithProject(transaction, projectId);
      // None of its environments is in use, so there must be room for all that return.
      await requireRoom(plan, 'environmentsPerProject', async () => 0, environments.length);
      await requireRestorable(transaction, { plan, projectId, environments });
      const after = await changeProject(transaction, projectId, { status: 'active' }, now);
      await open.record('project', 'restore', { before, after });
      await restoreEnvironmentsWithProject(transaction, projectId, now);
      for (const environment of environments) await recordEnvironmentMove(open, 'restore', environment);
      await addEntriesForEndUsers(transaction, projectId);
      await publishLikeNew(
        transaction,
        environments.map(({ id }) => id),
      );
      await publishApiClients(open, projectId);
      return after;
    });
    return recordReply(restored, projectResponse);
  }
}

async function requireRoomForProject(transaction: Transaction, plan: LockedPlan): Promise<void> {
  await requireRoom(plan, 'projects', () => countProjects(transaction, plan.organizationId));
}

async function publishApiClients(open: OpenChange, projectId: string): Promise<void> {
  for (const id of await listApiClientIds(open.transaction, projectId)) await open.publish('apiClient', id);
}

function withEnvironments(record: ProjectRecord, environments: EnvironmentRecord[]): RecordReply<ProjectResponse> {
  return recordReply(record, (project) => ({
    ...projectResponse(project),
    environments: environments.map(environmentResponse),
  }));
}
