import { type ControlPlaneSchemas, invalidRequest, Problem } from '@multi-drm/contracts';
import { newManagementKey, type RandomBytes } from '../../access/keys';
import { plans } from '../../plans/plans';
import type { Change } from '../../records/change';
import { comparable } from './comparable';
import type { RegistrationLimiter } from './registration-limiter';
import type { RegistrationStore } from './registration-store';

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
   * Makes the organization with its owner key. Throws `registration_paused`, `rate_limited`,
   * `invalid_request` or `conflict`.
   */
  async register(
    registration: Registration,
    { actor }: Change,
  ): Promise<ControlPlaneSchemas['CompanyRegistrationResponse']> {
    this.requireOpen();
    await this.options.limiter.admit(actor.address);
    const planId = registration.planId ?? plans[0].planId;
    this.requireCurrentAgreement(registration.agreement.version);
    const { store, publisher, randomBytes } = this.options;
    const { companyName, country, website, registrationNumber, administrator, agreement } = registration;
    const now = this.options.now();
    const { key, prefix, hash } = newManagementKey(randomBytes);

    const created = await store.create({
      organization: {
        companyName,
        companyNameKey: comparable(companyName),
        country,
        website: website ?? null,
        registrationNumber: registrationNumber ?? null,
        planId,
        status: this.options.state === 'approval' ? 'pending' : 'active',
        administratorName: administrator.name,
        administratorEmail: administrator.email,
        administratorEmailKey: comparable(administrator.email),
        agreementVersion: agreement.version,
        agreementAcceptedAt: now,
      },
      ownerKey: { name: 'Owner key of the registration', prefix, hash },
      actor,
      now,
    });
    if (created === null) {
      // Which of the two matched is nobody's business: it would tell who is a customer here.
      throw new Problem('conflict', 'A company of this name in this country, or this administrator, is registered.');
    }
    publisher.wake();
    return {
      organizationId: created.organizationId,
      companyName,
      planId: created.planId,
      agreement: { version: agreement.version, acceptedAt: now.toISOString() },
      managementKey: { keyId: created.keyId, key, role: 'owner' },
      createdAt: now.toISOString(),
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
