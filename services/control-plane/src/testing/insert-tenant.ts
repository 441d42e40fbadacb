import { randomUUID } from 'node:crypto';
import type { Database, Transaction } from '../database/database';

/** Ids of records that belong together. */
export interface InsertedTenant {
  organizationId: string;
  projectId: string;
  environmentId: string;
}

/** Inserts an organization with a project and a development environment into the database. Adds no outbox entries. */
export async function insertTenant(prisma: Database | Transaction): Promise<InsertedTenant> {
  const unique = randomUUID();
  const { id: organizationId } = await prisma.organization.create({
    data: {
      companyName: unique,
      companyNameKey: unique,
      country: 'DE',
      planId: 'developer',
      administratorName: 'Ada Admin',
      administratorEmail: `${unique}@example.com`,
      administratorEmailKey: `${unique}@example.com`,
      agreementVersion: '2026-01',
      agreementAcceptedAt: new Date('2026-03-01T10:00:00.000Z'),
    },
  });
  const { id: projectId } = await prisma.project.create({ data: { organizationId, name: 'Academy' } });
  const { id: environmentId } = await prisma.environment.create({
    data: {
      projectId,
      kind: 'development',
      name: 'Development',
      maximumConcurrentStreams: 3,
      drmSystems: { create: { drmSystem: 'widevine', enabled: true, backend: 'clearkey' } },
    },
  });
  return { organizationId, projectId, environmentId };
}
