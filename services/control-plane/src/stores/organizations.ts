import type { Transaction } from '../database/database';
import type { Organization, Prisma } from '../generated/prisma/client';
import { lockRow } from './lock-row';

export const withProjectCount = {
  _count: { select: { projects: { where: { status: { not: 'archived' } } } } },
} satisfies Prisma.OrganizationInclude;

/** An organization with its number of projects. */
export type OrganizationRecord = Prisma.OrganizationGetPayload<{ include: typeof withProjectCount }>;

/** The fields that can be changed; absent ones stay as they are. */
export type OrganizationValues = Partial<
  Pick<
    OrganizationRecord,
    | 'companyName'
    | 'companyNameKey'
    | 'website'
    | 'registrationNumber'
    | 'administratorName'
    | 'administratorEmail'
    | 'administratorEmailKey'
    | 'planId'
    | 'status'
  >
>;

/** The data that a company registers with. */
export type NewOrganization = Omit<Prisma.OrganizationCreateManyInput, 'createdAt' | 'updatedAt'>;

export async function readOrganization(transaction: Transaction, id: string): Promise<OrganizationRecord> {
  return transaction.organization.findUniqueOrThrow({ where: { id }, include: withProjectCount });
}

/** Reads an organization whose row stays as it is until the transaction ends. */
export async function lockOrganizationRow(transaction: Transaction, id: string): Promise<OrganizationRecord> {
  await lockRow(transaction, 'organization', id);
  return readOrganization(transaction, id);
}

/** Sets fields of an organization and raises its version. */
export async function changeOrganization(
  transaction: Transaction,
  id: string,
  values: OrganizationValues,
  now: Date,
): Promise<OrganizationRecord> {
  return transaction.organization.update({
    where: { id },
    data: { ...values, version: { increment: 1 }, updatedAt: now },
    include: withProjectCount,
  });
}

/**
 * Undefined if an organization with that name and country, that administrator or that `Idempotency-Key` is already
 * registered.
 */
export async function insertOrganization(
  transaction: Transaction,
  values: NewOrganization,
  now: Date,
): Promise<OrganizationRecord | undefined> {
  // ON CONFLICT DO NOTHING: a unique violation is not an error here and leaves no names in PostgreSQL's log.
  const [organization] = await transaction.organization.createManyAndReturn({
    data: { ...values, createdAt: now, updatedAt: now },
    skipDuplicates: true,
  });
  return organization && { ...organization, _count: { projects: 0 } };
}

/** The id of the organization that registered with this hash of an `Idempotency-Key`; undefined if there is none. */
export async function findRegistration(transaction: Transaction, keyHash: string): Promise<string | undefined> {
  const where = { registrationKeyHash: keyHash };
  return (await transaction.organization.findUnique({ where, select: { id: true } }))?.id;
}

/** Notes the owner key that a registration showed last. */
export async function noteOwnerKey(
  transaction: Transaction,
  { id, updatedAt }: Pick<Organization, 'id' | 'updatedAt'>,
  keyId: string,
): Promise<void> {
  // This changes nothing that the organization's representation shows: its version and time stay.
  const data = { registrationOwnerKeyId: keyId, updatedAt };
  await transaction.organization.update({ where: { id }, data, select: { id: true } });
}

/** The plan of an organization, which stays as it is until the transaction ends. */
export interface LockedPlan {
  organizationId: string;
  /** Undefined if there is no such organization. */
  planId: string | undefined;
}

/**
 * Locks the organization's plan until the transaction ends, so that concurrent changes cannot exceed its limits
 * together. A transaction that locks other rows before it knows whether it needs room calls this first: creates take
 * the locks in this order.
 */
export async function lockPlan(transaction: Transaction, organizationId: string): Promise<LockedPlan> {
  const [organization] = await transaction.$queryRaw<{ planId: string }[]>`
    SELECT plan_id AS "planId" FROM organization WHERE id = ${organizationId}::uuid FOR NO KEY UPDATE`;
  return { organizationId, planId: organization?.planId };
}
