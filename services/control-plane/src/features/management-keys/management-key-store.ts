import { Problem } from '@multi-drm/contracts';
import { keyStatus } from '../../access/key-lifetime';
import type { ManagementKey, Prisma, PrismaClient } from '../../generated/prisma/client';
import { recordAudit } from '../../records/audit-store';
import type { Change } from '../../records/change';
import { runChangeAlone } from '../../records/change-store';
import { type CreatedOnce, createOnce } from '../../records/create-once-store';
import { managementKeyResponse } from './management-key-response';

export type ManagementKeyRecord = ManagementKey;

type NewManagementKey = Pick<ManagementKey, 'organizationId' | 'name' | 'role' | 'prefix' | 'hash' | 'expiresAt'>;

/** The key that takes the place of another, and until when the other stays valid. */
type Replacement = Pick<ManagementKey, 'prefix' | 'hash'> & { previousUntil: Date };

/**
 * Management keys. What ends one runs alone in its organization, so that two at once cannot each take the other for the
 * owner key that remains.
 */
export class ManagementKeyStore {
  constructor(private readonly prisma: PrismaClient) {}

  async list(organizationId: string): Promise<ManagementKey[]> {
    return this.prisma.managementKey.findMany({
      where: { organizationId },
      orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
    });
  }

  async read(id: string): Promise<ManagementKey> {
    return this.prisma.managementKey.findUniqueOrThrow({ where: { id } });
  }

  /** `check` throws where the key must not be. */
  async create(
    key: NewManagementKey,
    check: () => void,
    change: Change,
    now: Date,
  ): Promise<CreatedOnce<ManagementKey>> {
    return createOnce(this.prisma, change, now, async (transaction) => {
      check();
      const created = await transaction.managementKey.create({ data: { ...key, createdAt: now } });
      await audit(transaction, { after: created }, 'create', change, now, { role: created.role });
      return created;
    });
  }

  /**
   * Makes a key with the name, role and expiry of another, whose own expiry comes no later than `previousUntil` from then
   * on. Throws `conflict` where that opens nothing any more, or was rotated already.
   */
  async rotate(id: string, { previousUntil, ...secrets }: Replacement, change: Change, now: Date) {
    return runChangeAlone(this.prisma, change.actor, async (transaction) => {
      const previous = await transaction.managementKey.findUniqueOrThrow({ where: { id } });
      const status = keyStatus(previous, now);
      if (status !== 'active') throw new Problem('conflict', `The management key is ${status}.`);
      // Its expiry is the end of its overlap by now: a second key would end with that, not when the first one would have.
      if (previous.replacedAt !== null) {
        throw new Problem('conflict', 'The management key was rotated already: rotate the key that took its place.');
      }
      const { organizationId, name, role, expiresAt } = previous;
      const created = await transaction.managementKey.create({
        data: { organizationId, name, role, expiresAt, ...secrets, createdAt: now },
      });
      const endsSooner = expiresAt !== null && expiresAt < previousUntil;
      const replaced = await transaction.managementKey.update({
        where: { id },
        data: { expiresAt: endsSooner ? expiresAt : previousUntil, replacedAt: now },
      });
      const details = { replacedBy: created.id };
      await audit(transaction, { before: previous, after: replaced }, 'rotate', change, now, details);
      return created;
    });
  }

  /** Revokes a key, unless it is revoked already. Throws `conflict` for the last owner key that lasts. */
  async revoke(id: string, change: Change, now: Date): Promise<void> {
    await runChangeAlone(this.prisma, change.actor, async (transaction) => {
      const key = await transaction.managementKey.findUniqueOrThrow({ where: { id } });
      const status = keyStatus(key, now);
      if (status === 'revoked') return;
      // A key that another took the place of ends anyway.
      const lasts = status === 'active' && key.replacedAt === null;
      if (key.role === 'owner' && lasts) await requireAnotherOwner(transaction, key, now);
      const revoked = await transaction.managementKey.update({ where: { id }, data: { revokedAt: now } });
      await audit(transaction, { before: key, after: revoked }, 'revoke', change, now);
    });
  }
}

/**
 * Makes sure that the organization has another owner key that lasts; one that ends by its rotation does not. An archived
 * organization needs none: there its keys open nothing.
 */
async function requireAnotherOwner(
  transaction: Prisma.TransactionClient,
  { id, organizationId }: ManagementKey,
  now: Date,
): Promise<void> {
  const { status } = await transaction.organization.findUniqueOrThrow({
    where: { id: organizationId },
    select: { status: true },
  });
  if (status === 'archived') return;
  const others = await transaction.managementKey.count({
    where: {
      organizationId,
      role: 'owner',
      id: { not: id },
      revokedAt: null,
      replacedAt: null,
      OR: [{ expiresAt: null }, { expiresAt: { gt: now } }],
    },
  });
  if (others === 0) {
    throw new Problem('conflict', 'The last valid owner key of an organization cannot be revoked.');
  }
}

async function audit(
  transaction: Prisma.TransactionClient,
  { before, after }: { before?: ManagementKey; after: ManagementKey },
  verb: 'create' | 'rotate' | 'revoke',
  { actor }: Change,
  now: Date,
  details: Prisma.InputJsonObject = {},
): Promise<void> {
  const entry = {
    organizationId: after.organizationId,
    action: `managementKey.${verb}`,
    recordType: 'managementKey',
    recordId: after.id,
    details,
    before: before && managementKeyResponse(before, now),
    after: managementKeyResponse(after, now),
  };
  await recordAudit(transaction, actor, entry, now);
}
