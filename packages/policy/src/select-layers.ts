import type { EnvironmentDocument, PlaybackSchemas } from '@multi-drm/contracts';
import { findBuiltInTemplate } from './built-in-templates';
import { type Found, passed, type RefusedRule, refused, type Source } from './decision-step';
import { type FindTemplate, type Layer, profileSource } from './policy-layer';

/** The part of a request that selects its policy. Client hints do not. */
export type PolicySelection = Pick<
  PlaybackSchemas['CreatePlaybackSessionRequest'],
  'drmSystem' | 'licensePolicyTemplate' | 'licensePolicy' | 'useEnvironmentDefaults'
>;

/** The selected policy and, if requested, the environment's default under it. */
export interface SelectedLayers {
  selected: Layer;
  beneath: Layer | null;
}

/**
 * Selects the policy layers of a request. Template names are looked up only through `findTemplate`. Refuses with
 * `policy_selection_conflict`, `license_policy_template_not_found` or `license_policy_required`.
 */
export function selectLayers(
  { licensePolicyTemplate, licensePolicy, useEnvironmentDefaults = false }: PolicySelection,
  { settings }: EnvironmentDocument,
  findTemplate: FindTemplate,
): Found<SelectedLayers> {
  if (licensePolicyTemplate !== undefined && licensePolicy !== undefined) {
    return refusal('request', 'policy_selection_conflict', 'Send licensePolicyTemplate or licensePolicy, not both.');
  }
  const defaultName = useEnvironmentDefaults ? settings.defaultLicensePolicyTemplate : null;
  let beneath: Layer | null = null;
  if (defaultName !== null) {
    beneath = layerOf(defaultName, findTemplate);
    if (beneath === null) return notFound('environment', "The environment's default policy", defaultName);
  }
  if (licensePolicy !== undefined) {
    return selection({ source: 'custom policy', template: null, policy: licensePolicy }, beneath);
  }
  if (licensePolicyTemplate !== undefined) {
    const selected = layerOf(licensePolicyTemplate, findTemplate);
    if (selected === null) return notFound('request', 'licensePolicyTemplate', licensePolicyTemplate);
    return selection(selected, beneath);
  }
  if (beneath !== null) {
    const detail = () => `The environment's default is used: ${beneath.source}.`;
    return { ...passed('policy_selection', 'environment', detail), found: { selected: beneath, beneath: null } };
  }
  if (useEnvironmentDefaults) {
    const detail = 'The environment has no default policy. Send licensePolicyTemplate or licensePolicy.';
    return refusal('environment', 'license_policy_required', detail);
  }
  const detail = 'Send licensePolicyTemplate, licensePolicy or useEnvironmentDefaults.';
  return refusal('request', 'license_policy_required', detail);
}

function layerOf(template: string, findTemplate: FindTemplate): Layer | null {
  const policy = findTemplate(template);
  if (policy === undefined) return null;
  const builtIn = findBuiltInTemplate(template) !== undefined;
  return { source: builtIn ? `built-in template "${template}"` : profileSource(template), template, policy };
}

function notFound(source: Source, origin: string, template: string): RefusedRule {
  const detail = `${origin} names "${template}", which does not exist.`;
  return refusal(source, 'license_policy_template_not_found', detail);
}

function selection(selected: Layer, beneath: Layer | null): Found<SelectedLayers> {
  const detail = () => {
    const over = beneath === null ? '' : `, over the environment's default: ${beneath.source}`;
    return `Selected: ${selected.source}${over}.`;
  };
  return { ...passed('policy_selection', 'request', detail), found: { selected, beneath } };
}

function refusal(source: Source, code: RefusedRule['code'], detail: string): RefusedRule {
  return refused('policy_selection', source, code, detail);
}
