import { createHash } from 'node:crypto';
import { canonicalJson, clientAddress } from '@multi-drm/service-kit';
import type { Request } from 'express';
import type { AuthorizedCaller, Reach } from '../access/access';
import { type IfMatch, parseOptionalIfMatch } from './if-match';

/** Who asks for a change, and how the audit trail names the request. */
export interface Actor {
  kind: 'operator' | 'managementKey' | 'oidc' | 'anonymous';
  /** Key id, or issuer and subject of a token. */
  id: string | null;
  name: string | null;
  requestId: string;
  /** Network address of the caller, whole and without a port. */
  address: string | null;
  /** The organization that the change belongs to; null where there is none yet. */
  reach: Reach | null;
}

/** A create that the caller may send again: the same key and body finds the same record. */
export interface IdempotencyClaim {
  caller: string;
  /** Operation and path. */
  route: string;
  key: string;
  /** SHA-256 of the canonical body, in hex. */
  requestHash: string;
}

/** What a change carries from its request to its transaction. */
export interface Change {
  actor: Actor;
  /** Undefined where the request has no `Idempotency-Key`, or is no create. */
  claim: IdempotencyClaim | undefined;
}

/** A change of one record that the caller may tie to the versions that it has read. */
export interface ConditionalChange extends Change {
  ifMatch: IfMatch;
}

interface ChangeInput {
  context: AuthorizedCaller | null;
  requestId: string;
  request: Request;
  body?: unknown;
}

/** The change that a request asks for, on the condition of its `If-Match`. Throws `precondition_failed`. */
export function conditionalChangeOf(input: ChangeInput): ConditionalChange {
  return { ...changeOf(input), ifMatch: parseOptionalIfMatch(input.request.get('If-Match')) };
}

/** The change that a request asks for. */
export function changeOf(input: ChangeInput): Change {
  const { context, requestId, request, body } = input;
  const actor = { ...identityOf(context), requestId, address: clientAddress(request), reach: context?.reach ?? null };
  const key = request.get('Idempotency-Key');
  if (key === undefined) return { actor, claim: undefined };
  // However the path is spelled: ids may come in upper case, and with a slash behind them (the router takes no second one).
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
