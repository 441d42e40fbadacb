import type { PrismaClient } from '../generated/prisma/client';
import type { Scope } from './access';
import type { Role } from './permissions';

/** A management key as the access check needs it. */
export interface ManagementKeyRecord {
  keyId: string;
  organizationId: string;
  role: Role;
  expiresAt: Date | null;
  revokedAt: Date | null;
  lastUsedAt: Date | null;
}

/** The organization that a record belongs to. */
export interface Tenant {
  organizationId: string;
  status: 'active' | 'suspended';
}

const tenant = { select: { id: true, status: true } };
const ofProject = { select: { organization: tenant } };
const ofEnvironment = { select: { project: ofProject } };

/** What the access check reads and writes. */
export class AccessStore {
  constructor(private readonly prisma: PrismaClient) {}

  async findManagementKey(hash: string): Promise<ManagementKeyRecord | null> {
    const found = await this.prisma.managementKey.findUnique({
      where: { hash },
      select: { id: true, organizationId: true, role: true, expiresAt: true, revokedAt: true, lastUsedAt: true },
    });
    if (found === null) return null;
    const { id, ...rest } = found;
    return { keyId: id, ...rest };
  }

  /** Notes that a key was used now, unless that was noted after `unlessSince`. */
  async recordUse(keyId: string, now: Date, unlessSince: Date): Promise<void> {
    await this.prisma.managementKey.updateMany({
      where: { id: keyId, OR: [{ lastUsedAt: null }, { lastUsedAt: { lte: unlessSince } }] },
      data: { lastUsedAt: now },
    });
  }

  /** The tenant of a record; null where there is no such record. */
  async findTenant(scope: Scope, id: string): Promise<Tenant | null> {
    const organization = await this.findOrganization(scope, id);
    return organization ? { organizationId: organization.id, status: organization.status } : null;
  }

  private async findOrganization(scope: Scope, id: string) {
    const where = { id };
    switch (scope) {
      case 'organization':
        return this.prisma.organization.findUnique({ where, ...tenant });
      case 'project':
        return (await this.prisma.project.findUnique({ where, ...ofProject }))?.organization;
      case 'environment':
        return (await this.prisma.environment.findUnique({ where, ...ofEnvironment }))?.project.organization;
      case 'contentAsset': {
        const asset = await this.prisma.contentAsset.findUnique({ where, select: { environment: ofEnvironment } });
        return asset?.environment.project.organization;
      }
    }
  }
}
