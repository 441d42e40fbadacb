import { Problem } from '@multi-drm/contracts';
import type { Logger } from '@multi-drm/service-kit';
import type { Database } from '../database/database';
import { findManagementKey, type ManagementKeyRecord, noteFirstUse, noteUse } from '../stores/management-keys';
import type { Caller } from './access';
import { authenticationRequired } from './authentication-required';
import { hashOf } from './credentials';
import { IssuerUnreachable } from './issuer-keys';
import { keyStatus } from './key-lifetime';
import type { OidcAuthentication } from './oidc-authentication';
import { findOperatorKey, type OperatorKey } from './operator-keys';
import type { CallOrigin, SignInAudit } from './sign-in-audit';

interface AuthenticationOptions {
  database: Database;
  operatorKeys: readonly OperatorKey[];
  oidc: OidcAuthentication;
  signIns: SignInAudit;
  logger: Logger;
  now: () => Date;
}

/** Minimum time between two recorded uses of a key, in milliseconds. */
const useInterval = 60_000;

// RFC 6750, section 2.1, with the scheme in any case (RFC 9110, section 11.1).
const bearerForm = /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i;
const managementKeyForm = /^mk_[\w-]{43}$/;

/** Identifies the caller from its credential. */
export class Authentication {
  constructor(private readonly options: AuthenticationOptions) {}

  /**
   * Returns the caller of this `Authorization` header. Throws `authentication_required` and audits a refused
   * credential.
   */
  async callerOf(authorization: string | undefined, origin: CallOrigin): Promise<Caller> {
    const credential = authorization === undefined ? undefined : bearerForm.exec(authorization)?.[1];
    if (credential === undefined) {
      throw authenticationRequired('Send a management key or a token as "Authorization: Bearer <credential>".');
    }
    const caller = this.operatorOf(credential) ?? (await this.customerOf(credential, origin));
    if (caller === null) throw authenticationRequired();
    return caller;
  }

  private operatorOf(key: string): Caller | undefined {
    const operator = findOperatorKey(this.options.operatorKeys, hashOf(key));
    return operator && { kind: 'operator', name: operator.name };
  }

  private async customerOf(credential: string, origin: CallOrigin): Promise<Caller | null> {
    if (!managementKeyForm.test(credential)) {
      const caller = await this.oidcCallerOf(credential);
      if (caller === null) this.options.signIns.refused({ reason: 'credential' }, origin);
      return caller;
    }
    const found = await this.findManagementKey(hashOf(credential));
    if (found === null || !this.isValid(found)) {
      this.options.signIns.refused({ reason: found === null ? 'credential' : 'key', key: found }, origin);
      return null;
    }
    this.noteUse(found);
    const { id: keyId, name, organizationId, role } = found;
    return { kind: 'managementKey', keyId, name, organizationId, role };
  }

  private async oidcCallerOf(token: string): Promise<Caller | null> {
    try {
      return await this.options.oidc.callerOf(token);
    } catch (error) {
      if (!(error instanceof IssuerUnreachable)) throw error;
      throw new Problem('service_unavailable', 'The identity provider is currently unreachable.', {
        headers: { 'Retry-After': String(error.retryAfterSeconds) },
        cause: error,
      });
    }
  }

  private isValid(key: ManagementKeyRecord): boolean {
    return keyStatus(key, this.options.now()) === 'active';
  }

  /**
   * Finds a key. The first use of an owner key is recorded before the request continues. A repeated registration revokes an owner key that
   * was never used, so it must see a use that came before it.
   */
  private async findManagementKey(hash: string): Promise<ManagementKeyRecord | null> {
    const { database, now } = this.options;
    const found = await findManagementKey(database, hash);
    if (found?.role !== 'owner' || found.lastUsedAt !== null || !this.isValid(found)) return found;
    const usedAt = now();
    if (await noteFirstUse(database, found.id, usedAt)) return { ...found, lastUsedAt: usedAt };
    return findManagementKey(database, hash);
  }

  /** Runs in the background; a failure does not fail the request. */
  private noteUse({ id, lastUsedAt }: ManagementKeyRecord): void {
    const { database, logger } = this.options;
    const now = this.options.now();
    const unlessSince = new Date(now.getTime() - useInterval);
    if (lastUsedAt !== null && lastUsedAt > unlessSince) return;
    noteUse(database, id, now, unlessSince).catch((error: unknown) => {
      logger.warn('the use of a management key was not recorded', { keyId: id, error });
    });
  }
}
