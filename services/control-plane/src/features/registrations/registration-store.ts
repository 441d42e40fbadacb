import type { Prisma, PrismaClient } from '../../generated/prisma/client';
import { markChanged } from '../../publishing/mark-changed';
import { recordAudit } from '../../records/audit-store';
import type { Actor } from '../../records/change';

interface NewOrganization {
  organization: Omit<Prisma.OrganizationCreateManyInput, 'createdAt' | 'updatedAt'>;
  ownerKey: { name: string; prefix: string; hash: string };
  actor: Actor;
  now: Date;
}

/** Organizations and their first keys. */
export class RegistrationStore {
  constructor(private readonly prisma: PrismaClient) {}

  /** Null where an organization of that name and country, or with that administrator, exists already. */
  async create({ organization, ownerKey, actor, now }: NewOrganization) {
    return this.prisma.$transaction(async (transaction) => {
      // ON CONFLICT DO NOTHING: what a unique index refuses is no error, and leaves no names in PostgreSQL's log.
      const [created] = await transaction.organization.createManyAndReturn({
        data: [{ ...organization, createdAt: now, updatedAt: now }],
        select: { id: true, planId: true },
        skipDuplicates: true,
      });
      if (created === undefined) return null;
      const { id, planId } = created;
      const key = await transaction.managementKey.create({
        data: { ...ownerKey, organizationId: id, role: 'owner', createdAt: now },
        select: { id: true },
      });
      await markChanged(transaction, 'organization', id);
      const entry = { organizationId: id, action: 'organization.register', recordType: 'organization', recordId: id };
      await recordAudit(transaction, actor, entry, now);
      return { organizationId: id, planId, keyId: key.id };
    });
  }
}
