import type { ManagementKey, Organization, Prisma, PrismaClient } from '../../generated/prisma/client';
import { addOutboxEntry } from '../../publishing/outbox-entries';
import type { Actor } from '../../records/change';
import { recordAudit } from '../../records/record-audit';
import { lockOrganization } from '../../records/run-change';
import { managementKeyResponse } from '../management-keys/management-key-response';
import { organizationResponse } from '../organizations/organization-response';

/** What is stored of a new owner key. */
interface NewOwnerKey {
  name: string;
  prefix: string;
  hash: string;
}

/** What identifies a repeated registration. */
export interface RegistrationRepeat {
  /** SHA-256 of the `Idempotency-Key`, in hex. */
  keyHash: string;
  /** SHA-256 of the canonical body, in hex. */
  requestHash: string;
}

/** The data that a company registers with. */
export type NewOrganization = Omit<Prisma.OrganizationCreateManyInput, 'createdAt' | 'updatedAt'>;

interface Registration {
  organization: NewOrganization;
  ownerKey: NewOwnerKey;
  /** Undefined if the registration cannot be repeated. */
  repeat: RegistrationRepeat | undefined;
  actor: Actor;
  now: Date;
}

/** An organization, and the id of the owner key to show. */
export interface RegisteredOrganization {
  organization: Organization;
  keyId: string;
}

/** An id that no key has. */
const noKey = '00000000-0000-0000-0000-000000000000';

/** How long a registration can be repeated, in milliseconds. */
const repeatableFor = 60 * 60 * 1000;

/** Organizations and their first keys. */
export class RegistrationStore {
  constructor(private readonly prisma: PrismaClient) {}

  /**
   * Null if an organization with that name and country, that administrator or that `Idempotency-Key` is already
   * registered.
   */
  async create({
    organization: values,
    ownerKey,
    repeat,
    actor,
    now,
  }: Registration): Promise<RegisteredOrganization | null> {
    return this.prisma.$transaction(async (transaction) => {
      // ON CONFLICT DO NOTHING: a unique violation is not an error here and leaves no names in PostgreSQL's log.
      const [organization] = await transaction.organization.createManyAndReturn({
        data: [
          {
            ...values,
            registrationKeyHash: repeat?.keyHash ?? null,
            registrationRequestHash: repeat?.requestHash ?? null,
            createdAt: now,
            updatedAt: now,
          },
        ],
        skipDuplicates: true,
      });
      if (organization === undefined) return null;
      await addOutboxEntry(transaction, 'organization', organization.id);
      const entry = {
        organizationId: organization.id,
        action: 'organization.register',
        recordType: 'organization',
        recordId: organization.id,
        after: organizationResponse({ ...organization, _count: { projects: 0 } }),
      };
      await recordAudit(transaction, actor, entry, now);
      const { id: keyId } = await createOwnerKey(transaction, organization, ownerKey, now);
      return { organization, keyId };
    });
  }

  /**
   * Revokes the owner key that the registration with this `Idempotency-Key` showed last, and creates another one. Null
   * if there is no such registration; `refused` if its body was different, its hour is over, its owner key was used or
   * revoked, or the organization is not active.
   */
  async repeat({
    ownerKey,
    repeat,
    actor,
    now,
  }: Omit<Registration, 'organization'>): Promise<RegisteredOrganization | 'refused' | null> {
    if (repeat === undefined) return null;
    const where = { registrationKeyHash: repeat.keyHash };
    const found = await this.prisma.organization.findUnique({ where, select: { id: true } });
    if (found === null) return null;
    return this.prisma.$transaction(async (transaction) => {
      await lockOrganization(transaction, found.id, 'exclusive');
      const organization = await transaction.organization.findUniqueOrThrow({ where: { id: found.id } });
      if (!isRepeatable(organization, repeat, now)) return 'refused';
      // The first use of a key is recorded before its request goes on, in the same row, so one of the two comes first.
      const [unused] = await transaction.managementKey.updateManyAndReturn({
        where: {
          id: organization.registrationOwnerKeyId ?? noKey,
          lastUsedAt: null,
          revokedAt: null,
          replacedAt: null,
        },
        data: { revokedAt: now },
      });
      if (unused === undefined) return 'refused';
      const before = managementKeyResponse({ ...unused, revokedAt: null }, now);
      const revocation = { ...entryOf('revoke', unused, now), before, details: { reason: 'registration repeated' } };
      await recordAudit(transaction, actor, revocation, now);
      const created = await createOwnerKey(transaction, organization, ownerKey, now);
      await recordAudit(transaction, actor, entryOf('create', created, now), now);
      return { organization, keyId: created.id };
    });
  }
}

function isRepeatable(
  { status, createdAt, registrationRequestHash }: Organization,
  { requestHash }: RegistrationRepeat,
  now: Date,
): boolean {
  const isOpen = status === 'pending' || status === 'active';
  return isOpen && registrationRequestHash === requestHash && now.getTime() - createdAt.getTime() < repeatableFor;
}

/** Creates the owner key to show for a registration. */
async function createOwnerKey(
  transaction: Prisma.TransactionClient,
  { id: organizationId, updatedAt }: Organization,
  ownerKey: NewOwnerKey,
  now: Date,
): Promise<ManagementKey> {
  const key = await transaction.managementKey.create({
    data: { ...ownerKey, organizationId, role: 'owner', createdAt: now },
  });
  // This changes nothing that the organization's representation shows: its version and time stay.
  const data = { registrationOwnerKeyId: key.id, updatedAt };
  await transaction.organization.update({ where: { id: organizationId }, data, select: { id: true } });
  return key;
}

function entryOf(verb: 'create' | 'revoke', key: ManagementKey, now: Date) {
  return {
    organizationId: key.organizationId,
    action: `managementKey.${verb}`,
    recordType: 'managementKey',
    recordId: key.id,
    after: managementKeyResponse(key, now),
  };
}
