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

/** Maximum number of events per minute and address (IPv6 by its /64), so that guessing keys cannot fill the table. */
const eventsPerMinute = 10;

/** Audits refused sign-ins outside the critical path of the request. */
export class SignInAudit {
  private readonly limiter = new RateLimiterMemory({ points: eventsPerMinute, duration: 60 });

  constructor(private readonly options: { database: Database; logger: Logger; now: () => Date }) {}

  refused(refusal: Refusal, origin: CallOrigin): void {
    const { logger } = this.options;
    this.record(refusal, origin).catch((error: unknown) => {
      logger.warn('a refused sign-in was not audited', { requestId: origin.requestId, error });
    });
  }

  private async record({ reason, key }: Refusal, { requestId, address }: CallOrigin): Promise<void> {
    const admitted = await this.limiter.consume(countedAddress(address)).then(
      () => true,
      () => false, // the limiter rejects with its counters when no points are left
    );
    if (!admitted) return;
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
