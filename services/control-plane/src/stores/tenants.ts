import type { Transaction } from '../database/database';
import type { OrganizationStatus, Prisma } from '../generated/prisma/client';

/** The kind of tenant record that a path parameter names. */
export type Scope =
  | 'organization'
  | 'managementKey'
  | 'project'
  | 'environment'
  | 'rights'
  | 'licenseProfile'
  | 'contentAsset'
  | 'endUser'
  | 'apiClient'
  | 'webhookEndpoint';

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

/** The tenant of a record; null if there is no such record. */
export async function findTenant(transaction: Transaction, scope: Scope, id: string): Promise<Tenant | null> {
  const lineage = await lineageOf(transaction, scope, id);
  return lineage === null ? null : tenantOf(lineage);
}

async function lineageOf(transaction: Transaction, scope: Scope, id: string): Promise<Lineage | null> {
  const where = { id };
  const projectRecord = { select: { status: true, project } } as const;
  switch (scope) {
    case 'organization': {
      const found = await transaction.organization.findUnique({ where, ...organization });
      return found && { organization: found };
    }
    case 'managementKey':
      return transaction.managementKey.findUnique({ where, select: { organization } });
    case 'project': {
      const found = await transaction.project.findUnique({ where, ...project });
      return found && { project: found };
    }
    case 'environment': {
      const found = await transaction.environment.findUnique({ where, ...environment });
      return found && { environment: found };
    }
    case 'rights':
      return withOwn('rights', await transaction.rights.findUnique({ where, ...projectRecord }));
    case 'licenseProfile':
      return withOwn('license profile', await transaction.licenseProfile.findUnique({ where, ...projectRecord }));
    case 'endUser':
      return withOwn('end user', await transaction.endUser.findUnique({ where, ...projectRecord }));
    case 'contentAsset': {
      const found = await transaction.contentAsset.findUnique({ where, select: { status: true, environment } });
      return withOwn('content asset', found);
    }
    case 'apiClient':
      return transaction.apiClient.findUnique({ where, select: { project } });
    case 'webhookEndpoint':
      return transaction.webhookEndpoint.findUnique({ where, select: { project } });
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
  const owningProject = environment?.project ?? lineage.project;
  const found = owningProject?.organization ?? lineage.organization;
  if (found === undefined) return null;
  const chain = [
    own,
    environment && { noun: 'environment', status: environment.status },
    owningProject && { noun: 'project', status: owningProject.status },
  ];
  const archived = chain.find((link) => link?.status === 'archived')?.noun ?? null;
  return { organizationId: found.id, status: found.status, archived };
}
