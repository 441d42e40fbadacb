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
import { checkLicenseBackend } from './check-license-backend';
import { passed, Refusal, type Step } from './decision-step';
import { type FindTemplate, layerPolicyOf, profileSource } from './policy-layer';
import { changedValueSteps, valueSteps } from './policy-value-steps';
import { resolveLayers } from './resolve-policy';
import type { PolicySources, Resolution, ResolvedPolicy } from './resolved-policy';
import { type PolicySelection, selectLayers } from './select-layers';
import { checkManifests, type ManifestSelection } from './select-manifests';

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
}

/** `steps`: each rule in order with its source, up to the first refusal. */
export type Decision =
  | {
      allowed: true;
      policy: ResolvedPolicy;
      sources: PolicySources;
      manifests: ManifestSelection;
      content: ContentDocument;
      steps: Step[];
    }
  /** `policy`: as far as it was resolved, possibly without the content's ceiling; null if it could not be resolved. */
  | { allowed: false; problem: Refusal; policy: ResolvedPolicy | null; steps: Step[] };

/**
 * Decides whether a request may play and under which policy, except for stream limits, which the reservation checks. Creates and
 * evaluations both use this, so that they cannot differ. Pure and deterministic.
 */
export function decidePlayback(facts: PlaybackFacts, now: Date): Decision {
  const { request, environment } = facts;
  const { drmSystem, platformCapabilities } = request;
  const steps: Step[] = [];
  // One by one, so that the steps before a refusal are kept.
  const run = (...checks: (() => Step)[]) => {
    for (const check of checks) steps.push(check());
  };
  let resolution: Resolution | null = null;
  try {
    const layers = selectLayers(request, environment, facts.findTemplate);
    steps.push(layers.step);
    const audioOnly = facts.content?.kind === 'audio';
    const selected = resolveLayers(layers, { drmSystem, environment, audioOnly });
    resolution = selected;
    steps.push(passed('policy_rules', layers.selected.source, 'The policy is usable.'));
    steps.push(...valueSteps(selected, drmSystem));

    run(
      () => checkOrganization(facts.organization),
      () => checkViewer(facts.viewer),
    );
    const { content, step } = checkContentFound(facts.content);
    steps.push(step);
    run(...eligibilityChecks(request, environment, content));

    const ceiling = content.licenseProfileName === null ? null : facts.ceiling;
    const narrowed = withAvailability(selected, ceiling);
    resolution = narrowed;
    steps.push(...changedValueSteps(selected, narrowed, drmSystem));
    run(
      () => checkWindow(narrowed, now),
      () => checkClientPlatform(narrowed, platformCapabilities?.clientPlatform),
    );

    const bounded = withCeiling(narrowed, content, facts);
    resolution = bounded.resolution;
    steps.push(bounded.step, ...changedValueSteps(narrowed, bounded.resolution, drmSystem));

    const manifests = checkManifests(content.manifests, request);
    steps.push(manifests.step);
    const { policy, sources } = bounded.resolution;
    run(() => checkLicenseBackend(policy, { drmSystem, environment, content }));
    return { allowed: true, policy, sources, manifests: manifests.selection, content, steps };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    steps.push(error.step);
    return { allowed: false, problem: error, policy: resolution?.policy ?? null, steps };
  }
}

/** The window and platforms of the content's profile restrict like those of the other profiles. */
function withAvailability(resolution: Resolution, ceiling: LicenseProfileDocument | null): Resolution {
  if (ceiling === null) return resolution;
  return narrow(resolution, restrictionOf(profileSource(ceiling.name), layerPolicyOf(ceiling)));
}

/**
 * Fails closed: content whose profile does not exist does not play. Throws a Refusal with `license_policy_template_not_found` or
 * `license_policy_invalid`.
 */
function withCeiling(
  resolution: Resolution,
  { licenseProfileName }: ContentDocument,
  { ceiling, request, environment }: PlaybackFacts,
): { resolution: Resolution; step: Step } {
  if (licenseProfileName === null) {
    return { resolution, step: passed('content_ceiling', 'content', 'The content has no license profile.') };
  }
  if (ceiling === null) {
    const detail = `The content's license profile "${licenseProfileName}" does not exist.`;
    throw new Refusal('content_ceiling', 'content', 'license_policy_template_not_found', detail);
  }
  const { drmSystem } = request;
  const { trackTypeHeights } = environment.settings;
  return {
    resolution: applyCeiling(resolution, ceiling, { drmSystem, trackTypeHeights }),
    step: passed('content_ceiling', profileSource(ceiling.name), 'The strictest of each value applies.'),
  };
}
