import type { Transaction } from '../database/database';
import type { Project, ProjectStatus } from '../generated/prisma/client';
import { lockRow } from './lock-row';

export type ProjectRecord = Project;

/** The fields that can be changed; absent ones stay as they are. */
export type ProjectValues = Partial<Pick<ProjectRecord, 'name' | 'description' | 'status'>>;

/** The organization's projects with this status, oldest first. */
export async function listProjects(
  transaction: Transaction,
  organizationId: string,
  status: ProjectStatus,
): Promise<ProjectRecord[]> {
  return transaction.project.findMany({
    where: { organizationId, status },
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
  });
}

export async function readProject(transaction: Transaction, id: string): Promise<ProjectRecord> {
  return transaction.project.findUniqueOrThrow({ where: { id } });
}

/** Reads a project that stays as it is until the transaction ends. */
export async function lockProject(transaction: Transaction, id: string): Promise<ProjectRecord> {
  await lockRow(transaction, 'project', id);
  return readProject(transaction, id);
}

/** Counts the organization's projects, without archived ones. */
export async function countProjects(transaction: Transaction, organizationId: string): Promise<number> {
  return transaction.project.count({ where: { organizationId, status: 'active' } });
}

export async function insertProject(
  transaction: Transaction,
  values: Pick<ProjectRecord, 'organizationId' | 'name' | 'description'>,
  now: Date,
): Promise<ProjectRecord> {
  return transaction.project.create({ data: { ...values, createdAt: now, updatedAt: now } });
}

/** Sets fields of a project and raises its version. */
export async function changeProject(
  transaction: Transaction,
  id: string,
  values: ProjectValues,
  now: Date,
): Promise<ProjectRecord> {
  return transaction.project.update({
    where: { id },
    data: { ...values, version: { increment: 1 }, updatedAt: now },
  });
}
