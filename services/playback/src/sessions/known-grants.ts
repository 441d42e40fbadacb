import type { EnvironmentDocument, OrganizationDocument, PlaybackSchemas } from '@multi-drm/contracts';
import { type Decision, decidePlayback, outsideWindow } from '@multi-drm/policy';
import { atMost } from '@multi-drm/service-kit';
import { LRUCache } from 'lru-cache';
import type { Catalog } from '../catalog/catalog';
import { signedPolicyOf } from '../tokens/license-token-claims';
import type { LoadedFacts } from './load-playback-facts';
import { allowedSession, loadSessionFacts } from './session-decision';
import type { SessionGrant } from './session-grant';
import { type FixedParts, fixedParts } from './session-response';
import { sessionTimes } from './session-times';

type CreateRequest = PlaybackSchemas['CreatePlaybackSessionRequest'];
type Allowed = Extract<Decision, { allowed: true }>;

/** What an allowed create grants. */
export interface GrantedSession extends Pick<Allowed, 'allowed' | 'policy' | 'manifests' | 'content'> {
  environment: EnvironmentDocument;
  /** The organization whose streams the session counts against. */
  organization: OrganizationDocument;
  grant: SessionGrant;
  /** What the response has because of it. */
  fixed: FixedParts;
}

/** Grants of this many different requests are remembered, each with a few KiB. */
const maximumGrants = 2_000;

/** Only grants of requests up to this many characters: with unknown capabilities, a request may have 64 KiB. */
const longestRequest = 4_096;

/**
 * Decides creates from the published documents. Viewers of one content usually send equal requests, so grants are remembered; a decision
 * takes a tenth of the processor time of a create. A grant holds only for the very documents that it was made from, and within the
 * policy's availability window. Refusals are not remembered.
 */
export class KnownGrants {
  private readonly grants = new LRUCache<string, { from: DecisiveDocuments; granted: GrantedSession }>(
    atMost(maximumGrants),
  );

  /**
   * Returns the grant, or the refusal. Stream limits and the viewer's status are checked by the reservation. Throws the same problems as
   * `decideSession`.
   */
  async decide(
    catalog: Catalog,
    request: CreateRequest,
    environmentId: string,
    now: () => Date,
  ): Promise<GrantedSession | Extract<Decision, { allowed: false }>> {
    const facts = await loadSessionFacts(catalog, request, environmentId);
    const key = decisivePart(request, environmentId);
    const known = this.grants.get(key);
    if (known !== undefined && areSame(known.from, facts) && outsideWindow(known.granted.policy, now()) === null) {
      return known.granted;
    }
    const decision = decidePlayback({ ...facts, viewer: null }, now());
    if (!decision.allowed) return decision;
    const granted = grantOf(request, decision, facts);
    const { environment, organization, content, ceiling, profiles } = facts;
    if (key.length <= longestRequest) {
      this.grants.set(key, { from: { environment, organization, content, ceiling, profiles }, granted });
    }
    return granted;
  }
}

/** The documents that a decision depends on. */
type DecisiveDocuments = Pick<LoadedFacts, 'environment' | 'organization' | 'content' | 'ceiling' | 'profiles'>;

/** All that a decision can depend on. Members that are not named here count, so that a new one is not forgotten. */
function decisivePart(request: CreateRequest, environmentId: string): string {
  const { subject, sessionId, replacesSessionId, attemptId, applicationId, reporting, ...decisive } = request;
  return `${environmentId} ${JSON.stringify(decisive)}`;
}

/** Whether the documents are the same objects. The catalog keeps an unchanged document as it is, and replaces a changed one. */
function areSame(one: DecisiveDocuments, other: DecisiveDocuments): boolean {
  return (
    one.environment === other.environment &&
    one.organization === other.organization &&
    one.content === other.content &&
    one.ceiling === other.ceiling &&
    one.profiles.length === other.profiles.length &&
    one.profiles.every((profile, index) => profile === other.profiles[index])
  );
}

function grantOf(request: CreateRequest, decision: Allowed, facts: LoadedFacts): GrantedSession {
  const { policy, manifests, content, environment, organization } = allowedSession(decision, facts);
  const { contentId, contentType, drmSystem, platformCapabilities } = request;
  const grant: SessionGrant = {
    contentId,
    contentType,
    drmSystem,
    manifestTypes: platformCapabilities?.manifestTypes ?? null,
    policy: signedPolicyOf(policy, drmSystem),
    template: policy.template,
    times: sessionTimes(environment.settings),
  };
  const fixed = fixedParts(environment, content, grant);
  return { allowed: true, policy, manifests, content, environment, organization, grant, fixed };
}
