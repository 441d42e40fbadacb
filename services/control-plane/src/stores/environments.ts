import type { Transaction } from '../database/database';
import type { Environment, EnvironmentKind, EnvironmentStatus, Prisma } from '../generated/prisma/client';
import { lockRow } from './lock-row';

const withDrmSystems = {
  drmSystems: { orderBy: { drmSystem: 'asc' } },
} satisfies Prisma.EnvironmentInclude;

/** An environment and its DRM systems, in the order of the API. */
export type EnvironmentRecord = Prisma.EnvironmentGetPayload<{ include: typeof withDrmSystems }>;

/** What never changes of an environment. */
export type EnvironmentIdentity = Pick<Environment, 'id' | 'kind' | 'projectId'>;

/** A new environment and its DRM systems. */
export type NewEnvironment = Prisma.EnvironmentUncheckedCreateInput;

/** The fields that can be changed; absent ones stay as they are. */
export type EnvironmentValues = Prisma.EnvironmentUncheckedUpdateInput;

/** The project's environments with this status, oldest first; those created with the project are ordered by kind. */
export async function listEnvironments(
  transaction: Transaction,
  projectId: string,
  status: EnvironmentStatus,
): Promise<EnvironmentRecord[]> {
  return transaction.environment.findMany({
    where: { projectId, status },
    include: withDrmSystems,
    orderBy: [{ createdAt: 'asc' }, { kind: 'asc' }, { id: 'asc' }],
  });
}

export async function readEnvironment(transaction: Transaction, id: string): Promise<EnvironmentRecord> {
  return transaction.environment.findUniqueOrThrow({ where: { id }, include: withDrmSystems });
}

/** What never changes of an environment; the id in its stored form. */
export async function readEnvironmentIdentity(transaction: Transaction, id: string): Promise<EnvironmentIdentity> {
  return transaction.environment.findUniqueOrThrow({
    where: { id },
    select: { id: true, kind: true, projectId: true },
  });
}

/** An environment, what it belongs to, and the organization's plan. */
export interface EnvironmentScope {
  id: string;
  projectId: string;
  organizationId: string;
  planId: string;
}

/** The id of an environment in its stored form, and what it belongs to. */
export async function readEnvironmentScope(transaction: Transaction, id: string): Promise<EnvironmentScope> {
  const found = await transaction.environment.findUniqueOrThrow({
    where: { id },
    select: {
      id: true,
      projectId: true,
      project: { select: { organization: { select: { id: true, planId: true } } } },
    },
  });
  const { id: organizationId, planId } = found.project.organization;
  return { id: found.id, projectId: found.projectId, organizationId, planId };
}

/** The ids of the project's active environments. */
export async function listActiveEnvironmentIds(transaction: Transaction, projectId: string): Promise<string[]> {
  const found = await transaction.environment.findMany({
    where: { projectId, status: 'active' },
    select: { id: true },
  });
  return found.map(({ id }) => id);
}

/** Reads an environment that stays as it is until the transaction ends. */
export async function lockEnvironment(transaction: Transaction, id: string): Promise<EnvironmentRecord> {
  await lockRow(transaction, 'environment', id);
  return readEnvironment(transaction, id);
}

/** Locks the project's environments that are in use, so that nothing is published in them, and returns their ids. */
export async function lockActiveEnvironments(transaction: Transaction, projectId: string): Promise<string[]> {
  const environments = await transaction.$queryRaw<{ id: string }[]>`
    SELECT id FROM environment WHERE project_id = ${projectId}::uuid AND status = 'active' ORDER BY id FOR UPDATE`;
  return environments.map(({ id }) => id);
}

/** The project's environment of this kind that is not archived; null if there is none. */
export async function findEnvironmentOfKind(
  transaction: Transaction,
  projectId: string,
  kind: EnvironmentKind,
): Promise<{ id: string; name: string } | null> {
  return transaction.environment.findFirst({
    where: { projectId, kind, status: 'active' },
    select: { id: true, name: true },
  });
}

/** Counts the project's environments, without archived ones. */
export async function countEnvironments(transaction: Transaction, projectId: string): Promise<number> {
  return transaction.environment.count({ where: { projectId, status: 'active' } });
}

export async function insertEnvironment(transaction: Transaction, values: NewEnvironment): Promise<EnvironmentRecord> {
  return transaction.environment.create({ data: values, include: withDrmSystems });
}

/** Sets fields of an environment and raises its version. */
export async function changeEnvironment(
  transaction: Transaction,
  id: string,
  values: EnvironmentValues,
  now: Date,
): Promise<EnvironmentRecord> {
  return transaction.environment.update({
    where: { id },
    data: { ...values, version: { increment: 1 }, updatedAt: now },
    include: withDrmSystems,
  });
}

/** Raises the version of an environment, whose representation shows its DRM systems. */
export async function raiseVersionOfEnvironment(transaction: Transaction, id: string, now: Date): Promise<void> {
  await transaction.environment.updateMany({ where: { id }, data: { version: { increment: 1 }, updatedAt: now } });
}

/** Archives environments together with their project, and returns them. */
export async function archiveEnvironmentsWithProject(
  transaction: Transaction,
  ids: string[],
  now: Date,
): Promise<Environment[]> {
  return transaction.environment.updateManyAndReturn({
    where: { id: { in: ids } },
    data: { status: 'archived', archivedWithProject: true, version: { increment: 1 }, updatedAt: now },
  });
}

/** The environments that were archived together with their project. */
export async function listEnvironmentsArchivedWithProject(
  transaction: Transaction,
  projectId: string,
): Promise<Environment[]> {
  return transaction.environment.findMany({
    where: { projectId, archivedWithProject: true },
    orderBy: { id: 'asc' },
  });
}

/** Restores the environments that were archived together with their project. */
export async function restoreEnvironmentsWithProject(
  transaction: Transaction,
  projectId: string,
  now: Date,
): Promise<void> {
  await transaction.environment.updateMany({
    where: { projectId, archivedWithProject: true },
    data: { status: 'active', archivedWithProject: false, version: { increment: 1 }, updatedAt: now },
  });
}
