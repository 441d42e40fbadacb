import { type ControlPlaneSchemas, invalidRequest } from '@multi-drm/contracts';
import { expiryErrors, overlapEnd } from '../../access/key-lifetime';
import { newManagementKey, type RandomBytes } from '../../access/keys';
import type { Change } from '../../records/change';
import { managementKeyResponse } from './management-key-response';
import type { ManagementKeyStore } from './management-key-store';

type ManagementKeyResponse = ControlPlaneSchemas['ManagementKeyResponse'];
type CreatedManagementKeyResponse = ControlPlaneSchemas['CreatedManagementKeyResponse'];

interface ManagementKeyOptions {
  store: ManagementKeyStore;
  now: () => Date;
  randomBytes: RandomBytes;
}

/** Management keys of an organization. Only the hash of a key is stored, and a prefix by which people recognise it. */
export class ManagementKeyService {
  constructor(private readonly options: ManagementKeyOptions) {}

  /** All keys including revoked ones, oldest first. */
  async list(organizationId: string): Promise<ManagementKeyResponse[]> {
    const now = this.options.now();
    return (await this.options.store.list(organizationId)).map((key) => managementKeyResponse(key, now));
  }

  /** Creates a key; the response to a repeated request omits it. Throws `invalid_request`. */
  async create(
    organizationId: string,
    request: ControlPlaneSchemas['CreateManagementKeyRequest'],
    change: Change,
  ): Promise<CreatedManagementKeyResponse> {
    const { store, randomBytes } = this.options;
    const now = this.options.now();
    const expiresAt = request.expiresAt === undefined ? null : new Date(request.expiresAt);
    const check = (): void => {
      const errors = expiryErrors(expiresAt, now);
      if (Object.keys(errors).length > 0) throw invalidRequest(errors);
    };
    const { key, prefix, hash } = newManagementKey(randomBytes);
    const { name, role } = request;
    const outcome = await store.create({ organizationId, name, role, prefix, hash, expiresAt }, check, change, now);
    if ('repeatedId' in outcome) return managementKeyResponse(await store.read(outcome.repeatedId), now);
    return { ...managementKeyResponse(outcome.created, now), key };
  }

  /**
   * Creates a key that replaces another, which stays valid for `overlapSeconds`. Throws `conflict` if the other is
   * revoked, expired or already rotated.
   */
  async rotate(
    keyId: string,
    { overlapSeconds = 0 }: ControlPlaneSchemas['RotateKeyRequest'],
    change: Change,
  ): Promise<CreatedManagementKeyResponse> {
    const now = this.options.now();
    const { key, prefix, hash } = newManagementKey(this.options.randomBytes);
    const replacement = { prefix, hash, previousUntil: overlapEnd(overlapSeconds, now) };
    const created = await this.options.store.rotate(keyId, replacement, change, now);
    return { ...managementKeyResponse(created, now), key };
  }

  /** Revokes a key for good; repeating it does nothing. Throws `conflict` for the last valid owner key. */
  async revoke(keyId: string, change: Change): Promise<void> {
    await this.options.store.revoke(keyId, change, this.options.now());
  }
}
