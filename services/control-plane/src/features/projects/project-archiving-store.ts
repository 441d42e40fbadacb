import type { ActiveSessionCounter } from '../../active-sessions/active-session-counter';
import type { Prisma, PrismaClient } from '../../generated/prisma/client';
import { holdPlan, requireRoom } from '../../plans/require-room';
import {
  addEntriesForEndUsers,
  addEntriesForRestoredEnvironments,
  addOutboxEntry,
} from '../../publishing/outbox-entries';
import type { ConditionalChange } from '../../records/change';
import { lockRow } from '../../records/lock-row';
import { recordAudit } from '../../records/record-audit';
import { requireMatch } from '../../records/require-changeable';
import { runChange } from '../../records/run-change';
import { environmentMoveEntry } from '../environments/environment-store';
import { requireEnvironmentsUnused } from '../environments/environments-in-use-store';
import { requireRestorable } from '../environments/restorable-environments-store';
import { projectResponse } from './project-response';
import { type ProjectRecord, projectEntry } from './project-store';

/** Archives and restores projects with their dependent records. */
export class ProjectArchivingStore {
  constructor(
    private readonly prisma: PrismaClient,
    private readonly activeSessions: Pick<ActiveSessionCounter, 'count'>,
  ) {}

  /**
   * Archives the project and its environments, and adds outbox entries for them, its API clients and its end users, so
   * that they leave playback. An archived project stays as it is. Throws `precondition_failed` and, unless `cascade` is
   * set, `record_in_use` or `service_unavailable`.
   */
  async archive(id: string, cascade: boolean, { actor, ifMatch }: ConditionalChange, now: Date): Promise<void> {
    await runChange(this.prisma, actor, async (transaction) => {
      const archive = { status: 'archived', version: { increment: 1 }, updatedAt: now } as const;
      const project = await locked(transaction, id);
      if (project.status === 'archived') return;
      requireMatch(project, ifMatch, 'project');
      const environmentIds = await lockEnvironments(transaction, id);
      if (!cascade) await requireEnvironmentsUnused(transaction, this.activeSessions, environmentIds);
      const archived = await transaction.project.update({ where: { id }, data: archive });
      const details = cascade ? { cascade } : {};
      await recordAudit(transaction, actor, { ...moveEntry('archive', project, archived), details }, now);
      const environments = await transaction.environment.updateManyAndReturn({
        where: { id: { in: environmentIds } },
        data: { ...archive, archivedWithProject: true },
      });
      for (const environment of environments) {
        await addOutboxEntry(transaction, 'environment', environment.id);
        const entry = environmentMoveEntry(project.organizationId, environment, 'archive');
        await recordAudit(transaction, actor, { ...entry, details }, now);
      }
      await addEntriesForApiClients(transaction, id);
      await addEntriesForEndUsers(transaction, id);
    });
  }

  /**
   * Restores an archived project with the environments that were archived with it, and adds outbox entries for what
   * returns to playback; other projects stay as they are. Throws as documented in the service.
   */
  async restore(id: string, { actor, ifMatch }: ConditionalChange, now: Date): Promise<ProjectRecord> {
    return runChange(this.prisma, actor, async (transaction) => {
      const { organizationId } = await transaction.project.findUniqueOrThrow({ where: { id } });
      await holdPlan(transaction, organizationId);
      const present = await locked(transaction, id);
      requireMatch(present, ifMatch, 'project');
      if (present.status !== 'archived') return present;
      const ofOrganization = { organizationId, status: 'active' } as const;
      await requireRoom(transaction, organizationId, 'projects', () =>
        transaction.project.count({ where: ofOrganization }),
      );
      const where = { projectId: id, archivedWithProject: true };
      const environments = await transaction.environment.findMany({ where, orderBy: { id: 'asc' } });
      // None of its environments is in use, so there must be room for all that return.
      await requireRoom(transaction, organizationId, 'environmentsPerProject', async () => 0, environments.length);
      await requireRestorable(transaction, { organizationId, projectId: id, environments });
      const restore = { status: 'active', version: { increment: 1 }, updatedAt: now } as const;
      const restored = await transaction.project.update({ where: { id }, data: restore });
      await recordAudit(transaction, actor, moveEntry('restore', present, restored), now);
      await transaction.environment.updateMany({ where, data: { ...restore, archivedWithProject: false } });
      for (const environment of environments) {
        await recordAudit(transaction, actor, environmentMoveEntry(organizationId, environment, 'restore'), now);
      }
      await addEntriesForEndUsers(transaction, id);
      await addEntriesForRestoredEnvironments(
        transaction,
        environments.map((environment) => environment.id),
      );
      await addEntriesForApiClients(transaction, id);
      return restored;
    });
  }
}

function moveEntry(verb: 'archive' | 'restore', before: ProjectRecord, after: ProjectRecord) {
  return { ...projectEntry(after, verb), before: projectResponse(before), after: projectResponse(after) };
}

async function locked(transaction: Prisma.TransactionClient, id: string): Promise<ProjectRecord> {
  await lockRow(transaction, 'project', id);
  return transaction.project.findUniqueOrThrow({ where: { id } });
}

/**
 * The project's environments that are in use. Their rows are locked, so that nothing is published in them until the
 * commit.
 */
async function lockEnvironments(transaction: Prisma.TransactionClient, projectId: string): Promise<string[]> {
  const environments = await transaction.$queryRaw<{ id: string }[]>`
    SELECT id FROM environment WHERE project_id = ${projectId}::uuid AND status = 'active' ORDER BY id FOR UPDATE`;
  return environments.map(({ id }) => id);
}

async function addEntriesForApiClients(transaction: Prisma.TransactionClient, projectId: string): Promise<void> {
  const apiClients = await transaction.apiClient.findMany({ where: { projectId }, select: { id: true } });
  for (const { id } of apiClients) await addOutboxEntry(transaction, 'apiClient', id);
}
