import { createHash } from 'node:crypto';
import { canonicalJson, clientAddress } from '@multi-drm/service-kit';
import type { Request } from 'express';
import type { AuthorizedCaller, TenantScope } from '../access/access';
import type { AuditActor } from '../audit/record-audit';
import type { IdempotencyClaim } from '../stores/idempotency-claims';
import { type IfMatch, parseOptionalIfMatch } from './if-match';

/** Who requests a change. */
export interface Actor extends AuditActor {
  /** The organization that the change belongs to; null if there is none yet. */
  tenantScope: TenantScope | null;
}

/** The id of the organization that a change belongs to. Not for registrations: there is none yet. */
export function organizationOf({ tenantScope }: Actor): string {
  if (tenantScope === null) throw new Error('the change belongs to no organization');
  return tenantScope.organizationId;
}

/** The context of a change that is passed from its request to its transaction. */
export interface Change {
  actor: Actor;
  /** Undefined if the request has no `Idempotency-Key`, or is not a create. */
  claim: IdempotencyClaim | undefined;
}

/** A change of one record that the caller may make conditional on the versions it has read. */
export interface ConditionalChange extends Change {
  ifMatch: IfMatch;
}

interface ChangeInput {
  context: AuthorizedCaller | null;
  requestId: string;
  request: Request;
  body?: unknown;
}

/** The change of a request with its `If-Match` condition. Throws `precondition_failed`. */
export function conditionalChangeOf(input: ChangeInput): ConditionalChange {
  return { ...changeOf(input), ifMatch: parseOptionalIfMatch(input.request.get('If-Match')) };
}

/** The change of a request. */
export function changeOf(input: ChangeInput): Change {
  const { context, requestId, request, body } = input;
  const actor = {
    ...identityOf(context),
    requestId,
    address: clientAddress(request),
    tenantScope: context?.tenantScope ?? null,
  };
  const key = request.get('Idempotency-Key');
  if (key === undefined) return { actor, claim: undefined };
  // Normalizes the path: ids may be in upper case, and a trailing slash is possible (the router accepts at most one).
  const route = `${request.method} ${request.path.toLowerCase().replace(/\/$/, '')}`;
  return { actor, claim: { caller: `${actor.kind}:${actor.id}`, route, key, requestHash: hashOfBody(body) } };
}

function identityOf(caller: AuthorizedCaller | null): Pick<Actor, 'kind' | 'id' | 'name'> {
  switch (caller?.kind) {
    case 'operator':
      return { kind: 'operator', id: caller.name, name: caller.name };
    case 'managementKey':
      return { kind: 'managementKey', id: caller.keyId, name: caller.name };
    case 'oidc':
      return { kind: 'oidc', id: `${caller.issuer} ${caller.subject}`, name: caller.name };
    case undefined:
      return { kind: 'anonymous', id: null, name: null };
  }
}

/** Equal for bodies that differ only in the order of their members. */
function hashOfBody(body: unknown): string {
  return createHash('sha256')
    .update(canonicalJson(body ?? null), 'utf8')
    .digest('hex');
}
