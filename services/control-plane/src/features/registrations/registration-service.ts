import { type ControlPlaneSchemas, invalidRequest, Problem } from '@multi-drm/contracts';
import { hashOf, newManagementKey, type RandomBytes } from '../../access/keys';
import { plans } from '../../plans/plans';
import type { Change } from '../../records/change';
import { comparable } from './comparable';
import type { RegistrationLimiter } from './registration-limiter';
import type { NewOrganization, RegistrationStore } from './registration-store';

type Registration = ControlPlaneSchemas['CompanyRegistrationRequest'];

/** Seconds until a paused registration is worth another try. */
const pausedRetrySeconds = 3_600;

interface RegistrationOptions {
  store: RegistrationStore;
  /** `approval`: the organization is pending until the operator activates it. `paused`: no registrations for now. */
  state: 'open' | 'approval' | 'paused';
  limiter: RegistrationLimiter;
  /** The agreement that a company must accept. */
  agreement: { version: string; url?: string | undefined };
  publisher: { wake(): void };
  now: () => Date;
  randomBytes: RandomBytes;
}

/** Companies register themselves. */
export class RegistrationService {
  constructor(private readonly options: RegistrationOptions) {}

  /**
   * Makes the organization with its owner key. Where the same body comes again with the same `Idempotency-Key` while the
   * owner key was never used, that is revoked, and another one made. Throws `registration_paused`, `rate_limited`,
   * `invalid_request` or `conflict`.
   */
  async register(
    registration: Registration,
    { actor, claim }: Change,
  ): Promise<ControlPlaneSchemas['CompanyRegistrationResponse']> {
    this.requireOpen();
    await this.options.limiter.admit(actor.address);
    this.requireCurrentAgreement(registration.agreement.version);
    const { store, publisher, randomBytes } = this.options;
    const now = this.options.now();
    const { key, prefix, hash } = newManagementKey(randomBytes);
    const circumstances = {
      ownerKey: { name: 'Owner key of the registration', prefix, hash },
      repeat: claim && { keyHash: hashOf(claim.key), requestHash: claim.requestHash },
      actor,
      now,
    };
    const registered =
      (await store.repeat(circumstances)) ??
      (await store.create({ ...circumstances, organization: this.organizationOf(registration, now) })) ??
      // Of equal registrations at once one creates, and the others repeat it.
      (await store.repeat(circumstances));
    if (registered === null) {
      // Which of the two matched is nobody's business: it would tell who is a customer here.
      throw conflict('A company of this name in this country, or this administrator, is registered.');
    }
    if (registered === 'refused') {
      throw conflict(
        'This Idempotency-Key was sent before, with another body or for an owner key that cannot be replaced.',
      );
    }
    publisher.wake();
    const { organization, keyId } = registered;
    return {
      organizationId: organization.id,
      companyName: organization.companyName,
      planId: organization.planId,
      agreement: {
        version: organization.agreementVersion,
        acceptedAt: organization.agreementAcceptedAt.toISOString(),
      },
      managementKey: { keyId, key, role: 'owner' },
      createdAt: organization.createdAt.toISOString(),
    };
  }

  private organizationOf(registration: Registration, now: Date): NewOrganization {
    const { companyName, country, website, registrationNumber, administrator, agreement } = registration;
    return {
      companyName,
      companyNameKey: comparable(companyName),
      country,
      website: website ?? null,
      registrationNumber: registrationNumber ?? null,
      planId: registration.planId ?? plans[0].planId,
      status: this.options.state === 'approval' ? 'pending' : 'active',
      administratorName: administrator.name,
      administratorEmail: administrator.email,
      administratorEmailKey: comparable(administrator.email),
      agreementVersion: agreement.version,
      agreementAcceptedAt: now,
    };
  }

  private requireOpen(): void {
    if (this.options.state !== 'paused') return;
    throw new Problem('registration_paused', 'No registrations are taken for now.', {
      headers: { 'Retry-After': String(pausedRetrySeconds) },
    });
  }

  private requireCurrentAgreement(version: string): void {
    const { agreement } = this.options;
    if (version === agreement.version) return;
    const where = agreement.url === undefined ? '' : `, to be read at ${agreement.url}`;
    throw invalidRequest({ 'agreement.version': [`must be the current version, ${agreement.version}${where}`] });
  }
}

function conflict(what: string): Problem {
  return new Problem(
    'conflict',
    `${what} Where its owner key was lost, the operator of this service can make another one.`,
  );
}
