import { type ControlPlaneSchemas, invalidRequest, Problem } from '@multi-drm/contracts';
import { isUniqueViolation } from '../../database/unique-violation';
import type { LicenseProfile, Prisma, PrismaClient } from '../../generated/prisma/client';
import { addEntriesForContent } from '../../publishing/dependent-outbox-entries';
import { addOutboxEntry } from '../../publishing/outbox-entries';
import type { Change, ConditionalChange } from '../../records/change';
import { type CreatedOnce, createOnce } from '../../records/create-once';
import type { IfMatch } from '../../records/if-match';
import { lockRow } from '../../records/lock-row';
import { organizationOfProject } from '../../records/organization-of-project';
import { recordAudit } from '../../records/record-audit';
import { requireChangeable, requireMatch } from '../../records/require-changeable';
import { requireParentUnarchived, requireUnarchived } from '../../records/require-unarchived';
import { requireUnused } from '../../records/require-unused';
import { runChange } from '../../records/run-change';
import { lockActiveRights } from '../rights/active-rights-store';
import { contentNeeding, environmentsNeeding } from './license-profile-needs-store';
import { licenseProfileResponse } from './license-profile-response';
import { licenseProfileErrors } from './license-profile-validation';

/** A license profile with a typed JSON column. */
export type LicenseProfileRecord = Omit<LicenseProfile, 'tracks'> & { tracks: ControlPlaneSchemas['TrackPolicy'][] };

type NewProfile = ControlPlaneSchemas['CreateLicenseProfileRequest'];
type ProfileUpdate = ControlPlaneSchemas['UpdateLicenseProfileRequest'];

// Safe: only create and update write the column, and both take these types.
const typed = (profile: LicenseProfile): LicenseProfileRecord => profile as unknown as LicenseProfileRecord;

/** License profiles. */
export class LicenseProfileStore {
  constructor(private readonly prisma: PrismaClient) {}

  /** All profiles with the status, oldest first. */
  async list(projectId: string, status: 'active' | 'archived'): Promise<LicenseProfileRecord[]> {
    const found = await this.prisma.licenseProfile.findMany({
      where: { projectId, status },
      orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
    });
    return found.map(typed);
  }

  async read(id: string): Promise<LicenseProfileRecord> {
    return typed(await this.prisma.licenseProfile.findUniqueOrThrow({ where: { id } }));
  }

  /** Throws `invalid_request`, or `conflict` if the name is taken. */
  async create(
    projectId: string,
    profile: NewProfile,
    change: Change,
    now: Date,
  ): Promise<CreatedOnce<LicenseProfileRecord>> {
    const inProject = async () => projectId;
    return this.unlessNameTaken(profile.name, inProject, () =>
      createOnce(this.prisma, change, now, async (transaction) => {
        await requireUnarchived(transaction, 'project', projectId);
        await requireValid(transaction, projectId, profile);
        const created = typed(
          await transaction.licenseProfile.create({
            data: { ...profile, projectId, createdAt: now, updatedAt: now },
          }),
        );
        await record(transaction, change, { after: created }, 'create', now);
        return created;
      }),
    );
  }

  /** Throws `precondition_failed`, `conflict`, `invalid_request`, or `record_in_use`. */
  async update(
    id: string,
    ifMatch: IfMatch,
    sent: ProfileUpdate,
    change: Change,
    now: Date,
  ): Promise<LicenseProfileRecord> {
    const inProject = async () => (await this.read(id)).projectId;
    return this.unlessNameTaken(sent.name, inProject, () =>
      runChange(this.prisma, change.actor, async (transaction) => {
        await requireParentUnarchived(transaction, 'project', 'license_profile', id);
        const present = await locked(transaction, id);
        requireChangeable(present, ifMatch, 'license profile');
        await requireValid(transaction, present.projectId, sent);
        const renamed = sent.name !== undefined && sent.name !== present.name;
        // Environments refer to profiles by name. Content refers by id, but its published document contains the name.
        if (renamed) requireUnused([await environmentsNeeding(transaction, present)]);
        const updated = typed(
          await transaction.licenseProfile.update({
            where: { id },
            data: { ...sent, version: { increment: 1 }, updatedAt: now },
          }),
        );
        if (renamed) await addEntriesForContent(transaction, updated.id);
        const details = { fields: Object.keys(sent) };
        await record(transaction, change, { before: present, after: updated }, 'update', now, details);
        return updated;
      }),
    );
  }

  /**
   * Archives a license profile unless it is archived already; returns true if it did. Throws `precondition_failed` or
   * `record_in_use`.
   */
  async archive(id: string, change: ConditionalChange, now: Date): Promise<boolean> {
    return runChange(this.prisma, change.actor, async (transaction) => {
      const present = await locked(transaction, id);
      if (present.status === 'archived') return false;
      requireMatch(present, change.ifMatch, 'license profile');
      requireUnused([await environmentsNeeding(transaction, present), await contentNeeding(transaction, present)]);
      const archived = await transaction.licenseProfile.update({
        where: { id },
        data: { status: 'archived', version: { increment: 1 }, updatedAt: now },
      });
      await record(transaction, change, { before: present, after: typed(archived) }, 'archive', now);
      return true;
    });
  }

  /** Restores an archived license profile; others stay as they are. Throws `precondition_failed`, or `conflict`. */
  async restore(id: string, change: ConditionalChange, now: Date): Promise<LicenseProfileRecord> {
    return runChange(this.prisma, change.actor, async (transaction) => {
      await requireParentUnarchived(transaction, 'project', 'license_profile', id, 'restore it first');
      const present = await locked(transaction, id);
      requireMatch(present, change.ifMatch, 'license profile');
      if (present.status !== 'archived') return present;
      const { projectId, rightsId } = present;
      if (rightsId !== null && !(await lockActiveRights(transaction, projectId, rightsId))) {
        throw new Problem('conflict', `The rights ${rightsId} are archived: restore them first.`);
      }
      const restored = typed(
        await transaction.licenseProfile.update({
          where: { id },
          data: { status: 'active', version: { increment: 1 }, updatedAt: now },
        }),
      );
      await record(transaction, change, { before: present, after: restored }, 'restore', now);
      return restored;
    });
  }

  /**
   * Runs a transaction, and throws `conflict` if the project has another license profile with this name. For an
   * archived one, which lists hide by default, the error also says how to restore it.
   */
  private async unlessNameTaken<Result>(
    name: string | undefined,
    inProject: () => Promise<string>,
    run: () => Promise<Result>,
  ): Promise<Result> {
    try {
      return await run();
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      if (name === undefined) throw error;
      const where = { projectId: await inProject(), name, status: 'archived' } as const;
      const archived = await this.prisma.licenseProfile.findFirst({ where });
      throw new Problem('conflict', archived === null ? nameTaken : archivedNameTaken(archived.id));
    }
  }
}

const nameTaken = 'The project already has a license profile with this name.';

function archivedNameTaken(id: string): string {
  return (
    `The archived license profile ${id} has this name. ` +
    `Restore it with POST /api/v1/management/license-profiles/${id}/restore.`
  );
}

async function locked(transaction: Prisma.TransactionClient, id: string): Promise<LicenseProfileRecord> {
  await lockRow(transaction, 'license_profile', id);
  return typed(await transaction.licenseProfile.findUniqueOrThrow({ where: { id } }));
}

/** `sent`: the profile fields that the request sets. */
async function requireValid(
  transaction: Prisma.TransactionClient,
  projectId: string,
  sent: ProfileUpdate,
): Promise<void> {
  const errors = licenseProfileErrors(sent);
  const { rightsId } = sent;
  if (typeof rightsId === 'string' && !(await lockActiveRights(transaction, projectId, rightsId))) {
    errors.rightsId = ['must be active rights of the project'];
  }
  if (Object.keys(errors).length > 0) throw invalidRequest(errors);
}

/** Adds an outbox entry for the profile and records the change in the audit trail. */
async function record(
  transaction: Prisma.TransactionClient,
  { actor }: Change,
  { before, after }: { before?: LicenseProfileRecord; after: LicenseProfileRecord },
  verb: 'create' | 'update' | 'archive' | 'restore',
  now: Date,
  details: Prisma.InputJsonObject = {},
): Promise<void> {
  await addOutboxEntry(transaction, 'licenseProfile', after.id);
  const entry = {
    organizationId: await organizationOfProject(transaction, after.projectId),
    action: `licenseProfile.${verb}`,
    recordType: 'licenseProfile',
    recordId: after.id,
    details,
    before: before && licenseProfileResponse(before),
    after: licenseProfileResponse(after),
  };
  await recordAudit(transaction, actor, entry, now);
}
