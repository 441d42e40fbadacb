import type { TenantScope } from '../access/access';
import type { AuditActor } from '../audit/record-audit';
import type { IdempotencyClaim } from '../stores/idempotency-claims';
import type { IfMatch } from './if-match';

/** Who requests a change. */
export interface Actor extends AuditActor {
  /** The organization that the change belongs to; null if there is none yet. */
  tenantScope: TenantScope | null;
}

/** The context of a change that is passed from its request to its transaction. */
export interface Change {
  actor: Actor;
  /** Undefined if the request has no `Idempotency-Key`, or is not a create. */
  claim: IdempotencyClaim | undefined;
}

/** A change of one record that is made only if the record has one of these versions. */
export interface ConditionalChange extends Change {
  ifMatch: IfMatch;
}
