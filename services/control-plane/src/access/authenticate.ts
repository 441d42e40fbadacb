import { Problem } from '@multi-drm/contracts';
import type { Logger } from '@multi-drm/service-kit';
import type { Caller } from './access';
import type { AccessStore, ManagementKeyRecord } from './access-store';
import { authenticationRequired } from './authentication-required';
import { hashOf } from './keys';
import { IssuerUnreachable, type OidcAuthentication } from './oidc-authentication';
import { findOperatorKey, type OperatorKey } from './operator-keys';
import type { SignInAudit } from './sign-in-audit';

interface AuthenticationOptions {
  store: AccessStore;
  operatorKeys: readonly OperatorKey[];
  oidc: OidcAuthentication;
  signIns: SignInAudit;
  logger: Logger;
  now: () => Date;
}

/** Where a call comes from, for the audit trail. */
export interface CallOrigin {
  requestId: string;
  address: string | null;
}

/** How far apart the noted uses of a key lie at least, in milliseconds. */
const useInterval = 60_000;

/** Seconds until an identity provider that cannot be reached is worth another try. */
const issuerRetrySeconds = 5;

// RFC 6750, section 2.1, with the scheme in any case (RFC 9110, section 11.1).
const bearerForm = /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i;
const managementKeyForm = /^mk_[\w-]{43}$/;

/** Finds out who calls by the credential of a request. */
export class Authentication {
  constructor(private readonly options: AuthenticationOptions) {}

  /** The caller of this `Authorization` header. Throws `authentication_required`; a refused credential is audited. */
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
    const { keyId, name, organizationId, role } = found;
    return { kind: 'managementKey', keyId, name, organizationId, role };
  }

  private async oidcCallerOf(token: string): Promise<Caller | null> {
    try {
      return await this.options.oidc.callerOf(token);
    } catch (error) {
      if (!(error instanceof IssuerUnreachable)) throw error;
      throw new Problem('service_unavailable', 'The identity provider cannot be reached for now.', {
        headers: { 'Retry-After': String(issuerRetrySeconds) },
        cause: error,
      });
    }
  }

  private isValid({ expiresAt, revokedAt }: ManagementKeyRecord): boolean {
    return revokedAt === null && (expiresAt === null || expiresAt > this.options.now());
  }

  /**
   * Finds a key. Where it is an owner key that was never used, its first use is noted before the request goes on: a
   * registration that is repeated revokes an owner key that nobody used, so that one of the two has to come first.
   */
  private async findManagementKey(hash: string): Promise<ManagementKeyRecord | null> {
    const { store, now } = this.options;
    const found = await store.findManagementKey(hash);
    if (found?.role !== 'owner' || found.lastUsedAt !== null || !this.isValid(found)) return found;
    const usedAt = now();
    if (await store.recordFirstUse(found.keyId, usedAt)) return { ...found, lastUsedAt: usedAt };
    return store.findManagementKey(hash);
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
