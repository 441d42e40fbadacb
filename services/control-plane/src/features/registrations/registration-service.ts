import { type ControlPlaneSchemas, invalidRequest, Problem } from '@multi-drm/contracts';
import type { Logger } from '@multi-drm/service-kit';
import { hashOf, newKey, type RandomBytes } from '../../access/credentials';
import { plans } from '../../plans/plans';
import type { Change } from '../../records/change';
import type { Changes } from '../../records/changes';
import type { NewOrganization } from '../../stores/organizations';
import { comparisonKey, emailComparisonKey } from '../organizations/comparison-key';
import type { RegistrationLimiter } from './registration-limiter';
import { createOrganization, registrationConflict, repeatRegistration } from './registration-steps';

type Registration = ControlPlaneSchemas['CompanyRegistrationRequest'];

/** `Retry-After` in seconds while registration is paused. */
const pausedRetrySeconds = 3_600;

/**
 * Whether companies may register. `approval`: the organization is pending until the operator activates it. `paused`: no
 * registrations are accepted.
 */
export type RegistrationState = 'open' | 'approval' | 'paused';

interface RegistrationOptions {
  changes: Changes;
  state: RegistrationState;
  limiter: RegistrationLimiter;
  /** The agreement that a company must accept. */
  agreement: { version: string; url?: string | undefined };
  randomBytes: RandomBytes;
  logger: Logger;
}

/** Registration of companies by themselves. */
export class RegistrationService {
  constructor(private readonly options: RegistrationOptions) {}

  /**
   * Creates the organization with its owner key. If the same body is sent again with the same `Idempotency-Key` while
   * the owner key was never used, the key is revoked and replaced. Throws `registration_paused`, `rate_limited`,
   * `invalid_request` or `conflict`.
   */
  async register(
    registration: Registration,
    change: Change,
  ): Promise<ControlPlaneSchemas['CompanyRegistrationResponse']> {
    this.requireOpen();
    const { changes, limiter, randomBytes } = this.options;
    await limiter.admit(change.actor.address);
    this.requireCurrentAgreement(registration.agreement.version);
    const { key, prefix, hash } = newKey('mk', randomBytes);
    const ownerKey = { name: 'Owner key of the registration', prefix, hash };
    const { claim } = change;
    const repeat = claim && { keyHash: hashOf(claim.key), requestHash: claim.requestHash };
    // One transaction each: a create waits for equal ones in progress, and must not use up the time of the repeat that follows.
    const repeatOnce = () => repeat && changes.run(change, (open) => repeatRegistration(open, repeat, ownerKey));
    const create = () =>
      changes.run(change, async (open) => {
        const values = {
          ...this.organizationOf(registration, open.now),
          registrationKeyHash: repeat?.keyHash ?? null,
          registrationRequestHash: repeat?.requestHash ?? null,
        };
        const created = await createOrganization(open, values, ownerKey);
        if (created === undefined && repeat === undefined) throw alreadyRegistered();
        return created;
      });
    // Of identical concurrent registrations, one creates and the others repeat it.
    const registered = (await repeatOnce()) ?? (await create()) ?? (await repeatOnce());
    if (registered === undefined) throw alreadyRegistered();
    const { organization, keyId } = registered;
    const isPending = organization.status === 'pending';
    if (isPending) {
      const { id: organizationId } = organization;
      this.options.logger.warn('a registered organization waits for the approval of the operator', { organizationId });
    }
    return {
      organizationId: organization.id,
      companyName: organization.companyName,
      planId: organization.planId,
      status: isPending ? 'pending' : 'active',
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
      companyNameKey: comparisonKey(companyName),
      country,
      website: website ?? null,
      registrationNumber: registrationNumber ?? null,
      planId: registration.planId ?? plans[0].planId,
      status: this.options.state === 'approval' ? 'pending' : 'active',
      administratorName: administrator.name,
      administratorEmail: administrator.email,
      administratorEmailKey: emailComparisonKey(administrator.email),
      agreementVersion: agreement.version,
      agreementAcceptedAt: now,
    };
  }

  private requireOpen(): void {
    if (this.options.state !== 'paused') return;
    throw new Problem('registration_paused', 'Registration is currently paused.', {
      headers: { 'Retry-After': String(pausedRetrySeconds) },
    });
  }

  private requireCurrentAgreement(version: string): void {
    const { agreement } = this.options;
    if (version === agreement.version) return;
    const where = agreement.url === undefined ? '' : `, available at ${agreement.url}`;
    throw invalidRequest({ 'agreement.version': [`must be the current version, ${agreement.version}${where}`] });
  }
}

/** Which of the two matched is not disclosed: it would reveal who is a customer. */
function alreadyRegistered(): Problem {
  return registrationConflict(
    'A company with this name and country, or with this administrator, is already registered.',
  );
}
