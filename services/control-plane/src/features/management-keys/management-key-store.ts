import { Problem } from '@multi-drm/contracts';
import { keyStatus } from '../../access/key-lifetime';
import type { ManagementKey, Prisma, PrismaClient } from '../../generated/prisma/client';
import type { Change } from '../../records/change';
import { type CreatedOnce, createOnce } from '../../records/create-once';
import { recordAudit } from '../../records/record-audit';
import { runExclusiveChange } from '../../records/run-change';
import { managementKeyResponse } from './management-key-response';

export type ManagementKeyRecord = ManagementKey;

type NewManagementKey = Pick<ManagementKey, 'organizationId' | 'name' | 'role' | 'prefix' | 'hash' | 'expiresAt'>;

/** The replacement of a key, and until when the replaced key stays valid. */
type Replacement = Pick<ManagementKey, 'prefix' | 'hash'> & { previousUntil: Date };

/**
 * Management keys. Operations that end a key are serialized per organization, so that two at once cannot each rely on
 * the other's key as the remaining owner key.
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

  /** `check` throws if the key is not valid. */
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
   * Creates a key with the name, role and expiry of another, whose own expiry becomes at most `previousUntil`. Throws
   * `conflict` if the other key is no longer valid or was already rotated.
   */
  async rotate(id: string, { previousUntil, ...secrets }: Replacement, change: Change, now: Date) {
    return runExclusiveChange(this.prisma, change.actor, async (transaction) => {
      const previous = await transaction.managementKey.findUniqueOrThrow({ where: { id } });
      const status = keyStatus(previous, now);
      if (status !== 'active') throw new Problem('conflict', `The management key is ${status}.`);
      // Its expiry is now the end of its overlap: a second new key would inherit that instead of the original expiry.
      if (previous.replacedAt !== null) {
        throw new Problem('conflict', 'The management key was already rotated: rotate its replacement.');
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

  /** Revokes a key unless it is revoked already. Throws `conflict` for the last valid owner key. */
  async revoke(id: string, change: Change, now: Date): Promise<void> {
    await runExclusiveChange(this.prisma, change.actor, async (transaction) => {
      const key = await transaction.managementKey.findUniqueOrThrow({ where: { id } });
      const status = keyStatus(key, now);
      if (status === 'revoked') return;
      // A key that was replaced ends anyway.
      const lasts = status === 'active' && key.replacedAt === null;
      if (key.role === 'owner' && lasts) await requireAnotherOwner(transaction, key, now);
      const revoked = await transaction.managementKey.update({ where: { id }, data: { revokedAt: now } });
      await audit(transaction, { before: key, after: revoked }, 'revoke', change, now);
    });
  }
}

/**
 * Checks that the organization has another valid owner key; one that was rotated does not count, because it ends with
 * its overlap. An archived organization needs none: its keys are not accepted.
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
