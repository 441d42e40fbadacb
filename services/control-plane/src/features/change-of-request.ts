import { createHash } from 'node:crypto';
import { canonicalJson, clientAddress } from '@multi-drm/service-kit';
import type { Request } from 'express';
import type { AuthorizedCaller } from '../access/access';
import type { Actor, Change, ConditionalChange } from '../records/change';
import { parseIfMatch, parseOptionalIfMatch } from '../records/if-match';

interface ChangeInput {
  context: AuthorizedCaller | null;
  requestId: string;
  request: Request;
  body?: unknown;
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

/** The change of a request that may send `If-Match`. Throws `precondition_failed`. */
export function conditionalChangeOf(input: ChangeInput): ConditionalChange {
  return { ...changeOf(input), ifMatch: parseOptionalIfMatch(input.request.get('If-Match')) };
}

/** The change of a request that must send `If-Match`. Throws `precondition_required` and `precondition_failed`. */
export function updateOf(input: ChangeInput): ConditionalChange {
  return { ...changeOf(input), ifMatch: parseIfMatch(input.request.get('If-Match')) };
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
