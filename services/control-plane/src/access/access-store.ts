import type { OrganizationStatus, Prisma, PrismaClient } from '../generated/prisma/client';
import type { Actor } from '../records/change';
import { type AuditEntry, recordAudit } from '../records/record-audit';
import type { Scope } from './access';
import type { Role } from './permissions';

/** A management key with the fields that the access check needs. */
export interface ManagementKeyRecord {
  keyId: string;
  name: string;
  organizationId: string;
  role: Role;
  expiresAt: Date | null;
  revokedAt: Date | null;
  lastUsedAt: Date | null;
}

/** The organization that a record belongs to. */
export interface Tenant {
  organizationId: string;
  status: OrganizationStatus;
  /** What is archived below the organization: the record itself or one of its parents; null if nothing is. */
  archived: string | null;
}

const organization = { select: { id: true, status: true } } as const;
const project = { select: { status: true, organization } } as const;
const environment = { select: { status: true, project } } as const;

type OrganizationPart = Prisma.OrganizationGetPayload<typeof organization>;
type ProjectPart = Prisma.ProjectGetPayload<typeof project>;
type EnvironmentPart = Prisma.EnvironmentGetPayload<typeof environment>;

/** A record's own status, if it has one, and its parents. */
interface Lineage {
  own?: { noun: string; status: string };
  environment?: EnvironmentPart;
  project?: ProjectPart;
  organization?: OrganizationPart;
}

/** The database access of the access check. */
export class AccessStore {
  constructor(private readonly prisma: PrismaClient) {}

  async findManagementKey(hash: string): Promise<ManagementKeyRecord | null> {
    const found = await this.prisma.managementKey.findUnique({
      where: { hash },
      select: {
        id: true,
        name: true,
        organizationId: true,
        role: true,
        expiresAt: true,
        revokedAt: true,
        lastUsedAt: true,
      },
    });
    if (found === null) return null;
    const { id, ...rest } = found;
    return { keyId: id, ...rest };
  }

  /** Records the first use of a key. False if it was used before, or revoked since it was read. */
  async recordFirstUse(keyId: string, now: Date): Promise<boolean> {
    const { count } = await this.prisma.managementKey.updateMany({
      where: { id: keyId, lastUsedAt: null, revokedAt: null },
      data: { lastUsedAt: now },
    });
    return count === 1;
  }

  /** Records that a key was used now, unless a use was recorded after `unlessSince`. */
  async recordUse(keyId: string, now: Date, unlessSince: Date): Promise<void> {
    await this.prisma.managementKey.updateMany({
      where: { id: keyId, OR: [{ lastUsedAt: null }, { lastUsedAt: { lte: unlessSince } }] },
      data: { lastUsedAt: now },
    });
  }

  async recordRefusedSignIn(actor: Actor, entry: AuditEntry, now: Date): Promise<void> {
    await recordAudit(this.prisma, actor, entry, now);
  }

  /** The tenant of a record; null if there is no such record. */
  async findTenant(scope: Scope, id: string): Promise<Tenant | null> {
    const lineage = await this.lineageOf(scope, id);
    return lineage === null ? null : tenantOf(lineage);
  }

  private async lineageOf(scope: Scope, id: string): Promise<Lineage | null> {
    const where = { id };
    const ofProject = { select: { status: true, project } } as const;
    switch (scope) {
      case 'organization': {
        const found = await this.prisma.organization.findUnique({ where, ...organization });
        return found && { organization: found };
      }
      case 'managementKey':
        return this.prisma.managementKey.findUnique({ where, select: { organization } });
      case 'project': {
        const found = await this.prisma.project.findUnique({ where, ...project });
        return found && { project: found };
      }
      case 'environment': {
        const found = await this.prisma.environment.findUnique({ where, ...environment });
        return found && { environment: found };
      }
      case 'rights':
        return withOwn('rights', await this.prisma.rights.findUnique({ where, ...ofProject }));
      case 'licenseProfile':
        return withOwn('license profile', await this.prisma.licenseProfile.findUnique({ where, ...ofProject }));
      case 'endUser':
        return withOwn('end user', await this.prisma.endUser.findUnique({ where, ...ofProject }));
      case 'contentAsset':
        return withOwn(
          'content asset',
          await this.prisma.contentAsset.findUnique({ where, select: { status: true, environment } }),
        );
      case 'apiClient':
        return this.prisma.apiClient.findUnique({ where, select: { project } });
    }
  }
}

function withOwn<Found extends { status: string } & Omit<Lineage, 'own'>>(
  noun: string,
  found: Found | null,
): Lineage | null {
  return found && { ...found, own: { noun, status: found.status } };
}

function tenantOf(lineage: Lineage): Tenant | null {
  const { own, environment } = lineage;
  const ofProject = environment?.project ?? lineage.project;
  const found = ofProject?.organization ?? lineage.organization;
  if (found === undefined) return null;
  const chain = [
    own,
    environment && { noun: 'environment', status: environment.status },
    ofProject && { noun: 'project', status: ofProject.status },
  ];
  const archived = chain.find((link) => link?.status === 'archived')?.noun ?? null;
  return { organizationId: found.id, status: found.status, archived };
}
