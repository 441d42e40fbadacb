import type {
  ContentDocument,
  EndUserDocument,
  EnvironmentDocument,
  LicenseProfileDocument,
  OrganizationDocument,
} from '@multi-drm/contracts';
import { applyCeiling } from './apply-ceiling';
import { checkClientPlatform, checkWindow, narrow, restrictionOf } from './availability';
import {
  checkContentFound,
  checkOrganization,
  checkViewer,
  type EligibilityRequest,
  eligibilityChecks,
} from './check-eligibility';
import { checkLicenseBackend, type FindLicenseRefusal } from './check-license-backend';
import { type Found, passed, type RefusedRule, refused } from './decision-step';
import { Explanation } from './explanation';
import { type FindTemplate, layerPolicyOf, profileSource } from './policy-layer';
import { resolveLayers } from './resolve-policy';
import type { PolicySources, Resolution, ResolvedPolicy } from './resolved-policy';
import { type PolicySelection, selectLayers } from './select-layers';
import { type ManifestSelection, selectManifests } from './select-manifests';

/** The input of a decision. */
export interface PlaybackFacts {
  request: PolicySelection & EligibilityRequest;
  environment: EnvironmentDocument;
  organization: OrganizationDocument | null;
  /** Null if the viewer has no published document, or is checked elsewhere; counts as active. */
  viewer: EndUserDocument | null;
  content: ContentDocument | null;
  /** The license profile that the content names; null if it names none, or if the named one does not exist. */
  ceiling: LicenseProfileDocument | null;
  findTemplate: FindTemplate;
  findLicenseRefusal: FindLicenseRefusal;
}

/** `explanation`: each rule in order with its source, up to the first refusal. */
export type Decision =
  | {
      allowed: true;
      policy: ResolvedPolicy;
      sources: PolicySources;
      manifests: ManifestSelection;
      content: ContentDocument;
      explanation: Explanation;
    }
  /** `policy`: as far as it was resolved, possibly without the content's ceiling; null if it could not be resolved. */
  | { allowed: false; refusal: RefusedRule; policy: ResolvedPolicy | null; explanation: Explanation };

/**
 * Decides whether a request may play and under which policy, except for stream limits, which the reservation checks. Creates and
 * evaluations both use this, so that they cannot differ. Pure and deterministic.
 */
export function decidePlayback(facts: PlaybackFacts, now: Date): Decision {
  const { request, environment, findLicenseRefusal } = facts;
  const { drmSystem, platformCapabilities } = request;
  const explanation = new Explanation(drmSystem);
  const refuse = (refusal: RefusedRule, policy: ResolvedPolicy | null): Decision => {
    return { allowed: false, refusal, policy, explanation };
  };

  const layers = explanation.add(selectLayers(request, environment, facts.findTemplate));
  if (layers.outcome === 'refused') return refuse(layers, null);
  const audioOnly = facts.content?.kind === 'audio';
  const resolved = explanation.add(resolveLayers(layers.found, { drmSystem, environment, audioOnly }));
  if (resolved.outcome === 'refused') return refuse(resolved, null);
  const selected = resolved.found;
  explanation.addValues(selected);

  const playable = checkPlayable(facts, explanation);
  if (playable.outcome === 'refused') return refuse(playable, selected.policy);
  const content = playable.found;

  const ceiling = content.licenseProfileName === null ? null : facts.ceiling;
  const narrowed = withAvailability(selected, ceiling);
  explanation.addChangedValues(selected, narrowed);
  const unavailable = explanation.addUntilRefused(
    () => checkWindow(narrowed, now),
    () => checkClientPlatform(narrowed, platformCapabilities?.clientPlatform),
  );
  if (unavailable !== null) return refuse(unavailable, narrowed.policy);

  const bounded = explanation.add(withCeiling(narrowed, content, facts));
  if (bounded.outcome === 'refused') return refuse(bounded, narrowed.policy);
  const { policy, sources } = bounded.found;
  explanation.addChangedValues(narrowed, bounded.found);

  const manifests = explanation.add(selectManifests(content.manifests, request));
  if (manifests.outcome === 'refused') return refuse(manifests, policy);
  const backend = explanation.add(checkLicenseBackend(policy, { drmSystem, environment, content, findLicenseRefusal }));
  if (backend.outcome === 'refused') return refuse(backend, policy);
  return { allowed: true, policy, sources, manifests: manifests.found, content, explanation };
}

/** Checks everything that does not depend on the policy. Returns the content, or the first refusal. */
function checkPlayable(
  { request, environment, organization, viewer, content }: PlaybackFacts,
  explanation: Explanation,
): Found<ContentDocument> {
  const callerRefusal = explanation.addUntilRefused(
    () => checkOrganization(organization),
    () => checkViewer(viewer),
  );
  if (callerRefusal !== null) return callerRefusal;
  const registered = explanation.add(checkContentFound(content));
  if (registered.outcome === 'refused') return registered;
  return explanation.addUntilRefused(...eligibilityChecks(request, environment, registered.found)) ?? registered;
}

/** The window and platforms of the content's profile restrict like those of the other profiles. */
function withAvailability(resolution: Resolution, ceiling: LicenseProfileDocument | null): Resolution {
  if (ceiling === null) return resolution;
  return narrow(resolution, restrictionOf(profileSource(ceiling.name), layerPolicyOf(ceiling)));
}

/**
 * Fails closed: content whose profile does not exist does not play. Refuses with `license_policy_template_not_found` or
 * `license_policy_invalid`.
 */
function withCeiling(
  resolution: Resolution,
  { licenseProfileName }: ContentDocument,
  { ceiling, request, environment }: PlaybackFacts,
): Found<Resolution> {
  if (licenseProfileName === null) {
    return { ...passed('content_ceiling', 'content', () => 'The content has no license profile.'), found: resolution };
  }
  if (ceiling === null) {
    const detail = `The content's license profile "${licenseProfileName}" does not exist.`;
    return refused('content_ceiling', 'content', 'license_policy_template_not_found', detail);
  }
  const { drmSystem } = request;
  const { trackTypeHeights } = environment.settings;
  return applyCeiling(resolution, ceiling, { drmSystem, trackTypeHeights });
}
