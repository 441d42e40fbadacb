import { Problem } from '@multi-drm/contracts';
import type { Logger } from '@multi-drm/service-kit';
import type { Caller } from './access';
import type { AccessStore, ManagementKeyRecord } from './access-store';
import { hashOf } from './keys';
import { findOperatorKey, type OperatorKey } from './operator-keys';

interface AuthenticationOptions {
  store: AccessStore;
  operatorKeys: readonly OperatorKey[];
  logger: Logger;
  now: () => Date;
}

/** How far apart the noted uses of a key lie at least, in milliseconds. */
const useInterval = 60_000;

// RFC 6750, section 2.1, with the scheme in any case (RFC 9110, section 11.1).
const bearerForm = /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i;
const managementKeyForm = /^mk_[\w-]{43}$/;

const authenticationRequired = (detail: string): Problem =>
  new Problem('authentication_required', detail, { headers: { 'WWW-Authenticate': 'Bearer' } });

/** Finds out who calls by the credential of a request. */
export class Authentication {
  constructor(private readonly options: AuthenticationOptions) {}

  /** The caller of this `Authorization` header. Throws `authentication_required`. */
  async callerOf(authorization: string | undefined): Promise<Caller> {
    const key = authorization === undefined ? undefined : bearerForm.exec(authorization)?.[1];
    if (key === undefined) {
      throw authenticationRequired('Send a management key as "Authorization: Bearer <key>".');
    }
    const hash = hashOf(key);
    const operator = findOperatorKey(this.options.operatorKeys, hash);
    if (operator !== undefined) return { kind: 'operator', name: operator.name };

    const found = managementKeyForm.test(key) ? await this.options.store.findManagementKey(hash) : null;
    if (found === null || !this.isValid(found)) {
      throw authenticationRequired('The key is unknown, expired or revoked.');
    }
    this.noteUse(found);
    return { kind: 'managementKey', keyId: found.keyId, organizationId: found.organizationId, role: found.role };
  }

  private isValid({ expiresAt, revokedAt }: ManagementKeyRecord): boolean {
    return revokedAt === null && (expiresAt === null || expiresAt > this.options.now());
  }

  /** Nobody waits for this, and no request fails by it. */
  private noteUse({ keyId, lastUsedAt }: ManagementKeyRecord): void {
    const { store, logger } = this.options;
    const now = this.options.now();
    const unlessSince = new Date(now.getTime() - useInterval);
    if (lastUsedAt !== null && lastUsedAt > unlessSince) return;
    store.recordUse(keyId, now, unlessSince).catch((error: unknown) => {
      logger.warn('the use of a management key was not noted', { keyId, error });
    });
  }
}
