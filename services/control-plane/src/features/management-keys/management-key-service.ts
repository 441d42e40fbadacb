import { type ControlPlaneSchemas, invalidRequest, Problem } from '@multi-drm/contracts';
import { newKey, type RandomBytes } from '../../access/credentials';
import { expiryErrors, keyStatus, overlapEnd } from '../../access/key-lifetime';
import type { Database, Transaction } from '../../database/database';
import type { Change } from '../../records/change';
import type { Changes } from '../../records/changes';
import { managementKeyResponse } from '../../responses/management-keys';
import {
  changeManagementKey,
  countOtherOwnerKeys,
  insertManagementKey,
  listManagementKeys,
  lockManagementKey,
  type ManagementKeyRecord,
  readManagementKey,
} from '../../stores/management-keys';
import { readOrganization } from '../../stores/organizations';

type ManagementKeyResponse = ControlPlaneSchemas['ManagementKeyResponse'];
type CreatedManagementKeyResponse = ControlPlaneSchemas['CreatedManagementKeyResponse'];

interface ManagementKeyOptions {
  database: Database;
  changes: Changes;
  now: () => Date;
  randomBytes: RandomBytes;
}

/**
 * Management keys of an organization. Only the hash of a key is stored, and a prefix by which people recognise it.
 * Changes that end a key run one after the other, so that two concurrent ones cannot each rely on the other's key as the
 * remaining owner key.
 */
export class ManagementKeyService {
  constructor(private readonly options: ManagementKeyOptions) {}

  /** All keys including revoked ones, oldest first. */
  async list(organizationId: string): Promise<ManagementKeyResponse[]> {
    const now = this.options.now();
    const keys = await listManagementKeys(this.options.database, organizationId);
    return keys.map((key) => managementKeyResponse(key, now));
  }

  /** Creates a key; the response to a repeated request omits it. Throws `invalid_request`. */
  async create(
    organizationId: string,
    request: ControlPlaneSchemas['CreateManagementKeyRequest'],
    change: Change,
  ): Promise<CreatedManagementKeyResponse> {
    const { database, changes, now, randomBytes } = this.options;
    const { name, role } = request;
    const expiresAt = request.expiresAt === undefined ? null : new Date(request.expiresAt);
    const { key, prefix, hash } = newKey('mk', randomBytes);
    const outcome = await changes.createOnce(change, async (open) => {
      requireLaterExpiry(expiresAt, open.now);
      const values = { organizationId, name, role, prefix, hash, expiresAt };
      const created = await insertManagementKey(open.transaction, values, open.now);
      await open.record('managementKey', 'create', { after: created, details: { role } });
      return created;
    });
    if ('created' in outcome) return { ...managementKeyResponse(outcome.created, now()), key };
    return managementKeyResponse(await readManagementKey(database, outcome.repeatedId), now());
  }

  /** Renames a key. Throws `conflict` if it is revoked or expired. */
  async rename(keyId: string, name: string, change: Change): Promise<ManagementKeyResponse> {
    const { changes, now } = this.options;
    const renamed = await changes.run(change, async (open) => {
      const before = await lockManagementKey(open.transaction, keyId);
      requireActive(before, open.now);
      const after = await changeManagementKey(open.transaction, keyId, { name });
      await open.record('managementKey', 'update', { before, after, details: { fields: ['name'] } });
      return after;
    });
    return managementKeyResponse(renamed, now());
  }

  /**
   * Creates a key with the name, role and expiry of another, which stays valid for `overlapSeconds` at most. Throws
   * `conflict` if the other is revoked, expired or already rotated.
   */
  async rotate(
    keyId: string,
    { overlapSeconds = 0 }: ControlPlaneSchemas['RotateKeyRequest'],
    change: Change,
  ): Promise<CreatedManagementKeyResponse> {
    const { changes, now, randomBytes } = this.options;
    const { key, prefix, hash } = newKey('mk', randomBytes);
    const created = await changes.runExclusively(change, async (open) => {
      const { transaction } = open;
      const previous = await readManagementKey(transaction, keyId);
      requireRotatable(previous, open.now);
      const { organizationId, name, role, expiresAt } = previous;
      const replacement = await insertManagementKey(
        transaction,
        { organizationId, name, role, prefix, hash, expiresAt },
        open.now,
      );
      const previousUntil = overlapEnd(overlapSeconds, open.now);
      const endsSooner = expiresAt !== null && expiresAt < previousUntil;
      const ends = { expiresAt: endsSooner ? expiresAt : previousUntil, replacedAt: open.now };
      const replaced = await changeManagementKey(transaction, keyId, ends);
      await open.record('managementKey', 'rotate', {
        before: previous,
        after: replaced,
        details: { replacedBy: replacement.id },
      });
      await open.record('managementKey', 'create', { after: replacement, details: { role, replaces: previous.id } });
      return replacement;
    });
    return { ...managementKeyResponse(created, now()), key };
  }

  /** Revokes a key for good; repeating it does nothing. Throws `conflict` for the last valid owner key. */
  async revoke(keyId: string, change: Change): Promise<void> {
    await this.options.changes.runExclusively(change, async (open) => {
      const { transaction, now } = open;
      const key = await readManagementKey(transaction, keyId);
      const status = keyStatus(key, now);
      if (status === 'revoked') return;
      // A key that was replaced ends anyway.
      const lasts = status === 'active' && key.replacedAt === null;
      if (key.role === 'owner' && lasts) await requireAnotherOwner(transaction, key, now);
      const revoked = await changeManagementKey(transaction, keyId, { revokedAt: now });
      await open.record('managementKey', 'revoke', { before: key, after: revoked });
    });
  }
}

function requireLaterExpiry(expiresAt: Date | null, now: Date): void {
  const errors = expiryErrors(expiresAt, now);
  if (Object.keys(errors).length > 0) throw invalidRequest(errors);
}

function requireActive(key: ManagementKeyRecord, now: Date): void {
  const status = keyStatus(key, now);
  if (status !== 'active') throw new Problem('conflict', `The management key is ${status}.`);
}

function requireRotatable(key: ManagementKeyRecord, now: Date): void {
  requireActive(key, now);
  // Its expiry is now the end of its overlap: a second new key would inherit that instead of the original expiry.
  if (key.replacedAt !== null) {
    throw new Problem('conflict', 'The management key was already rotated: rotate its replacement.');
  }
}

/**
 * Checks that the organization has another valid owner key; one that was rotated does not count, because it ends with
 * its overlap. An archived organization needs none: its keys are not accepted.
 */
async function requireAnotherOwner(transaction: Transaction, key: ManagementKeyRecord, now: Date): Promise<void> {
  const { status } = await readOrganization(transaction, key.organizationId);
  if (status === 'archived' || (await countOtherOwnerKeys(transaction, key, now)) > 0) return;
  throw new Problem('conflict', 'The last valid owner key of an organization cannot be revoked.');
}
