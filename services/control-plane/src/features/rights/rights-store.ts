import type { Prisma, PrismaClient, Rights } from '../../generated/prisma/client';
import { addEntriesForLicenseProfiles } from '../../publishing/dependent-outbox-entries';
import type { Change, ConditionalChange } from '../../records/change';
import { type CreatedOnce, createOnce } from '../../records/create-once';
import type { IfMatch } from '../../records/if-match';
import { lockRow } from '../../records/lock-row';
import { organizationOfProject } from '../../records/organization-of-project';
import { recordAudit } from '../../records/record-audit';
import { requireChangeable, requireMatch } from '../../records/require-changeable';
import { requireParentUnarchived, requireUnarchived } from '../../records/require-unarchived';
import { namesRead, requireUnused } from '../../records/require-unused';
import { runChange } from '../../records/run-change';
import { rightsResponse } from './rights-response';
import { type RightsValues, requireWindow } from './rights-values';

export type RightsRecord = Rights;

/** Reusable playback rights. */
export class RightsStore {
  constructor(private readonly prisma: PrismaClient) {}

  /** All rights with the status, oldest first. */
  async list(projectId: string, status: 'active' | 'archived'): Promise<RightsRecord[]> {
    return this.prisma.rights.findMany({
      where: { projectId, status },
      orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
    });
  }

  async read(id: string): Promise<RightsRecord> {
    return this.prisma.rights.findUniqueOrThrow({ where: { id } });
  }

  async create(
    projectId: string,
    values: Partial<RightsValues> & Pick<RightsValues, 'name'>,
    change: Change,
    now: Date,
  ): Promise<CreatedOnce<RightsRecord>> {
    return createOnce(this.prisma, change, now, async (transaction) => {
      await requireUnarchived(transaction, 'project', projectId);
      const created = await transaction.rights.create({
        data: { allowedClientPlatforms: [], ...values, projectId, createdAt: now, updatedAt: now },
      });
      await audit(transaction, change, { after: created }, 'create', now);
      return created;
    });
  }

  /** Throws `precondition_failed`, `conflict`, or `invalid_request`. */
  async update(
    id: string,
    ifMatch: IfMatch,
    values: Partial<RightsValues>,
    change: Change,
    now: Date,
  ): Promise<RightsRecord> {
    return runChange(this.prisma, change.actor, async (transaction) => {
      await requireParentUnarchived(transaction, 'project', 'rights', id);
      const present = await locked(transaction, id);
      requireChangeable(present, ifMatch, 'rights');
      requireWindow(values, present);
      const updated = await transaction.rights.update({
        where: { id },
        data: { ...values, version: { increment: 1 }, updatedAt: now },
      });
      await addEntriesForLicenseProfiles(transaction, updated.id);
      const details = { fields: Object.keys(values) };
      await audit(transaction, change, { before: present, after: updated }, 'update', now, details);
      return updated;
    });
  }

  /** Archives rights unless they are archived already. Throws `precondition_failed` or `record_in_use`. */
  async archive(id: string, change: ConditionalChange, now: Date): Promise<void> {
    await runChange(this.prisma, change.actor, async (transaction) => {
      const present = await locked(transaction, id);
      if (present.status === 'archived') return;
      requireMatch(present, change.ifMatch, 'rights');
      const profiles = await transaction.licenseProfile.findMany({
        where: { rightsId: id, status: 'active' },
        select: { name: true },
        orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
        take: namesRead,
      });
      requireUnused([{ noun: 'license profile', names: profiles.map(({ name }) => name) }]);
      const archived = await transaction.rights.update({
        where: { id },
        data: { status: 'archived', version: { increment: 1 }, updatedAt: now },
      });
      await audit(transaction, change, { before: present, after: archived }, 'archive', now);
    });
  }

  /** Restores archived rights; others stay as they are. Throws `precondition_failed`, or `conflict`. */
  async restore(id: string, change: ConditionalChange, now: Date): Promise<RightsRecord> {
    return runChange(this.prisma, change.actor, async (transaction) => {
      await requireParentUnarchived(transaction, 'project', 'rights', id, 'restore it first');
      const present = await locked(transaction, id);
      requireMatch(present, change.ifMatch, 'rights');
      if (present.status !== 'archived') return present;
      const restored = await transaction.rights.update({
        where: { id },
        data: { status: 'active', version: { increment: 1 }, updatedAt: now },
      });
      await audit(transaction, change, { before: present, after: restored }, 'restore', now);
      return restored;
    });
  }
}

async function locked(transaction: Prisma.TransactionClient, id: string): Promise<RightsRecord> {
  await lockRow(transaction, 'rights', id);
  return transaction.rights.findUniqueOrThrow({ where: { id } });
}

async function audit(
  transaction: Prisma.TransactionClient,
  { actor }: Change,
  { before, after }: { before?: RightsRecord; after: RightsRecord },
  verb: 'create' | 'update' | 'archive' | 'restore',
  now: Date,
  details: Prisma.InputJsonObject = {},
): Promise<void> {
  const entry = {
    organizationId: await organizationOfProject(transaction, after.projectId),
    action: `rights.${verb}`,
    recordType: 'rights',
    recordId: after.id,
    details,
    before: before && rightsResponse(before),
    after: rightsResponse(after),
  };
  await recordAudit(transaction, actor, entry, now);
}
