import { Problem } from '@multi-drm/contracts';
import type { ActiveSessionCounter } from '../../active-sessions/active-session-counter';
import type { PrismaClient } from '../../generated/prisma/client';
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
import { requireKindFree } from './environment-kind-store';
import { type EnvironmentRecord, environmentMoveEntry, environmentWithDrmSystems } from './environment-store';
import { requireEnvironmentsUnused } from './environments-in-use-store';
import { requireRestorable } from './restorable-environments-store';

const placeOfEnvironment = { projectId: true, project: { select: { organizationId: true } } } as const;

/** Archives and restores environments. */
export class EnvironmentArchivingStore {
  constructor(
    private readonly prisma: PrismaClient,
    private readonly activeSessions: Pick<ActiveSessionCounter, 'count'>,
  ) {}

  /**
   * Archives the environment; an archived one stays as it is. Throws `precondition_failed` and, unless `cascade` is
   * set, `record_in_use` or `service_unavailable`.
   */
  async archive(id: string, cascade: boolean, { actor, ifMatch }: ConditionalChange, now: Date): Promise<void> {
    await runChange(this.prisma, actor, async (transaction) => {
      const { projectId, project } = await transaction.environment.findUniqueOrThrow({
        where: { id },
        select: placeOfEnvironment,
      });
      // Locks the project first, as archiving a project does: the same lock order prevents deadlocks.
      await lockRow(transaction, 'project', projectId);
      await lockRow(transaction, 'environment', id);
      const present = await transaction.environment.findUniqueOrThrow({ where: { id } });
      if (present.status === 'archived') return;
      requireMatch(present, ifMatch, 'environment');
      if (!cascade) await requireEnvironmentsUnused(transaction, this.activeSessions, [present.id]);
      await transaction.environment.update({
        where: { id },
        data: { status: 'archived', version: { increment: 1 }, updatedAt: now },
      });
      await addEntriesForEndUsers(transaction, projectId);
      await addOutboxEntry(transaction, 'environment', present.id);
      const entry = environmentMoveEntry(project.organizationId, present, 'archive');
      await recordAudit(transaction, actor, { ...entry, details: cascade ? { cascade } : {} }, now);
    });
  }

  /** Restores an archived environment; others stay as they are. Throws as documented in the service. */
  async restore(id: string, { actor, ifMatch }: ConditionalChange, now: Date): Promise<EnvironmentRecord> {
    return runChange(this.prisma, actor, async (transaction) => {
      const { projectId, project } = await transaction.environment.findUniqueOrThrow({
        where: { id },
        select: placeOfEnvironment,
      });
      const { organizationId } = project;
      await holdPlan(transaction, organizationId);
      await lockRow(transaction, 'project', projectId);
      await lockRow(transaction, 'environment', id);
      const present = await transaction.environment.findUniqueOrThrow({
        where: { id },
        include: { ...environmentWithDrmSystems, project: { select: { status: true } } },
      });
      if (present.project.status === 'archived') {
        throw new Problem('conflict', 'The project is archived: restore it first.');
      }
      requireMatch(present, ifMatch, 'environment');
      if (present.status !== 'archived') return present;
      await requireKindFree(transaction, projectId, present.kind);
      const where = { projectId, status: 'active' } as const;
      await requireRoom(transaction, organizationId, 'environmentsPerProject', () =>
        transaction.environment.count({ where }),
      );
      await requireRestorable(transaction, { organizationId, projectId, environments: [present] });
      const restored = await transaction.environment.update({
        where: { id },
        data: { status: 'active', version: { increment: 1 }, updatedAt: now },
        include: environmentWithDrmSystems,
      });
      await addEntriesForEndUsers(transaction, projectId);
      await addEntriesForRestoredEnvironments(transaction, [restored.id]);
      await recordAudit(transaction, actor, environmentMoveEntry(organizationId, restored, 'restore'), now);
      return restored;
    });
  }
}
