import { countedAddress, type Logger } from '@multi-drm/service-kit';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { recordAudit } from '../audit/record-audit';
import type { Database } from '../database/database';
import type { ManagementKeyRecord } from '../stores/management-keys';

/** Where a request comes from, for the audit trail. */
export interface CallOrigin {
  requestId: string;
  address: string | null;
}

interface Refusal {
  /** `credential`: unknown; `key`: an expired or revoked management key. */
  reason: 'credential' | 'key';
  key?: ManagementKeyRecord | null;
}

/**
 * Maximum numbers of events per minute, so that guessing keys cannot fill the table: of an address (IPv6: of its /64), and from all
 * addresses together of one known key, or of all unknown credentials.
 */
const eventsPerAddress = 10;
const eventsPerKey = 100;

/** Audits refused sign-ins outside the critical path of the request. */
export class SignInAudit {
  private readonly addresses = new RateLimiterMemory({ points: eventsPerAddress, duration: 60 });
  private readonly keys = new RateLimiterMemory({ points: eventsPerKey, duration: 60 });

  constructor(private readonly options: { database: Database; logger: Logger; now: () => Date }) {}

  refused(refusal: Refusal, origin: CallOrigin): void {
    const { logger } = this.options;
    this.record(refusal, origin).catch((error: unknown) => {
      logger.warn('a refused sign-in was not audited', { requestId: origin.requestId, error });
    });
  }

  private async record({ reason, key }: Refusal, { requestId, address }: CallOrigin): Promise<void> {
    if (!(await isAdmitted(this.addresses, countedAddress(address)))) return;
    if (!(await isAdmitted(this.keys, key?.id ?? 'unknown'))) return;
    const actor = { kind: 'anonymous' as const, id: null, name: null, requestId, address };
    const entry = {
      organizationId: key?.organizationId ?? null,
      action: 'signIn.refuse',
      recordType: 'managementKey',
      recordId: key?.id ?? null,
      details: { reason },
    };
    await recordAudit(this.options.database, actor, entry, this.options.now());
  }
}

/** Counts an event. The limiter rejects with its counters when no points are left. */
function isAdmitted(limiter: RateLimiterMemory, name: string): Promise<boolean> {
  return limiter.consume(name).then(
    () => true,
    () => false,
  );
}
