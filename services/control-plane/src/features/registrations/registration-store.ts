import { isUniqueViolation } from '../../database/unique-violation';
import type { Prisma, PrismaClient } from '../../generated/prisma/client';
import { markChanged } from '../../publishing/mark-changed';

interface NewOrganization {
  organization: Omit<Prisma.OrganizationCreateInput, 'createdAt' | 'updatedAt'>;
  ownerKey: { name: string; prefix: string; hash: string };
  now: Date;
}

/** Organizations and their first keys. */
export class RegistrationStore {
  constructor(private readonly prisma: PrismaClient) {}

  /** Null where an organization of that name and country, or with that administrator, exists already. */
  async create({ organization, ownerKey, now }: NewOrganization) {
    try {
      return await this.prisma.$transaction(async (transaction) => {
        const { id, planId } = await transaction.organization.create({
          data: { ...organization, createdAt: now, updatedAt: now },
          select: { id: true, planId: true },
        });
        const key = await transaction.managementKey.create({
          data: { ...ownerKey, organizationId: id, role: 'owner', createdAt: now },
          select: { id: true },
        });
        await markChanged(transaction, 'organization', id);
        return { organizationId: id, planId, keyId: key.id };
      });
    } catch (error) {
      if (isUniqueViolation(error)) return null;
      throw error;
    }
  }
}
