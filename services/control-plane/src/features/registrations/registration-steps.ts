import { Problem } from '@multi-drm/contracts';
import type { OpenChange } from '../../records/open-change';
import { insertManagementKey, type ManagementKeyRecord, revokeUnusedKey } from '../../stores/management-keys';
import { lockOrganization } from '../../stores/organization-lock';
import {
  findRegistration,
  insertOrganization,
  type NewOrganization,
  noteOwnerKey,
  type OrganizationRecord,
  readOrganization,
} from '../../stores/organizations';

/** What is stored of a new owner key. */
interface NewOwnerKey {
  name: string;
  prefix: string;
  hash: string;
}

/** What identifies a repeated registration. */
interface RegistrationRepeat {
  /** SHA-256 of the `Idempotency-Key`, in hex. */
  keyHash: string;
  /** SHA-256 of the canonical body, in hex. */
  requestHash: string;
}

/** An organization, and the id of the owner key to show. */
interface RegisteredOrganization {
  organization: OrganizationRecord;
  keyId: string;
}

/** An id that no key has. */
const noKey = '00000000-0000-0000-0000-000000000000';

/** How long a registration can be repeated, in milliseconds. */
const repeatableFor = 60 * 60 * 1000;

/** The conflict of a registration that can be neither made nor repeated. */
export function registrationConflict(what: string): Problem {
  return new Problem(
    'conflict',
    `${what} If its owner key was lost, the operator of this service can create another one.`,
  );
}

/**
 * Creates the organization with its owner key. Undefined if an organization with that name and country, that
 * administrator or that `Idempotency-Key` is already registered.
 */
export async function createOrganization(
  open: OpenChange,
  values: NewOrganization,
  ownerKey: NewOwnerKey,
): Promise<RegisteredOrganization | undefined> {
  const { transaction, now } = open;
  const organization = await insertOrganization(transaction, values, now);
  if (organization === undefined) return undefined;
  await open.record('organization', 'register', { after: organization, organizationId: organization.id });
  const { id: keyId } = await createOwnerKey(open, organization, ownerKey);
  return { organization, keyId };
}

/**
 * Revokes the owner key that the registration with this `Idempotency-Key` showed last, and creates another one.
 * Undefined if there is no such registration. Throws `conflict` if its body was different, its hour is over, its owner
 * key was used or revoked, or the organization is not active.
 */
export async function repeatRegistration(
  open: OpenChange,
  repeat: RegistrationRepeat,
  ownerKey: NewOwnerKey,
): Promise<RegisteredOrganization | undefined> {
  const { transaction, now } = open;
  const organizationId = await findRegistration(transaction, repeat.keyHash);
  if (organizationId === undefined) return undefined;
  await lockOrganization(transaction, organizationId, 'exclusive');
  const organization = await readOrganization(transaction, organizationId);
  if (!isRepeatable(organization, repeat, now)) throw notRepeatable();
  // The first use of a key is recorded before its request goes on, in the same row, so one of the two comes first.
  const revoked = await revokeUnusedKey(transaction, organization.registrationOwnerKeyId ?? noKey, now);
  if (revoked === undefined) throw notRepeatable();
  const created = await createOwnerKey(open, organization, ownerKey);
  await open.record('managementKey', 'revoke', {
    before: { ...revoked, revokedAt: null },
    after: revoked,
    details: { reason: 'registration repeated', replacedBy: created.id },
    organizationId,
  });
  await open.record('managementKey', 'create', { after: created, details: { replaces: revoked.id }, organizationId });
  return { organization, keyId: created.id };
}

function notRepeatable(): Problem {
  return registrationConflict(
    'This Idempotency-Key was already used, with another body or for an owner key that cannot be replaced.',
  );
}

function isRepeatable(
  { status, createdAt, registrationRequestHash }: OrganizationRecord,
  { requestHash }: RegistrationRepeat,
  now: Date,
): boolean {
  const isOpen = status === 'pending' || status === 'active';
  const isYoung = now.getTime() - createdAt.getTime() < repeatableFor;
  return isOpen && registrationRequestHash === requestHash && isYoung;
}

/** Creates the owner key to show for a registration. */
async function createOwnerKey(
  { transaction, now }: OpenChange,
  organization: OrganizationRecord,
  ownerKey: NewOwnerKey,
): Promise<ManagementKeyRecord> {
  const values = { ...ownerKey, organizationId: organization.id, role: 'owner' as const, expiresAt: null };
  const key = await insertManagementKey(transaction, values, now);
  await noteOwnerKey(transaction, organization, key.id);
  return key;
}
