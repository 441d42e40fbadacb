import { type EnvironmentDocument, findBuiltInTemplate, type PlaybackSchemas } from '@multi-drm/contracts';
import { passed, Refusal, type Source, type Step } from './decision-step';
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
  step: Step;
}

/**
 * Selects the policy layers of a request. Template names are looked up only through `findTemplate`.
 *
 * Throws a Refusal: `policy_selection_conflict`, `license_policy_template_not_found` or `license_policy_required`.
 */
export function selectLayers(
  { licensePolicyTemplate, licensePolicy, useEnvironmentDefaults = false }: PolicySelection,
  { settings }: EnvironmentDocument,
  findTemplate: FindTemplate,
): SelectedLayers {
  if (licensePolicyTemplate !== undefined && licensePolicy !== undefined) {
    throw refusal('request', 'policy_selection_conflict', 'Send licensePolicyTemplate or licensePolicy, not both.');
  }
  const defaultName = useEnvironmentDefaults ? settings.defaultLicensePolicyTemplate : null;
  const beneath =
    defaultName === null ? null : named(defaultName, findTemplate, 'environment', "The environment's default policy");
  if (licensePolicy !== undefined) {
    return selection({ source: 'custom policy', template: null, policy: licensePolicy }, beneath);
  }
  if (licensePolicyTemplate !== undefined) {
    return selection(named(licensePolicyTemplate, findTemplate, 'request', 'licensePolicyTemplate'), beneath);
  }
  if (beneath !== null) {
    const step = passed('policy_selection', 'environment', `The environment's default is used: ${beneath.source}.`);
    return { selected: beneath, beneath: null, step };
  }
  if (useEnvironmentDefaults) {
    const detail = 'The environment has no default policy. Send licensePolicyTemplate or licensePolicy.';
    throw refusal('environment', 'license_policy_required', detail);
  }
  const detail = 'Send licensePolicyTemplate, licensePolicy or useEnvironmentDefaults.';
  throw refusal('request', 'license_policy_required', detail);
}

function named(template: string, findTemplate: FindTemplate, source: Source, origin: string): Layer {
  const policy = findTemplate(template);
  if (policy === undefined) {
    const detail = `${origin} names "${template}", which does not exist.`;
    throw refusal(source, 'license_policy_template_not_found', detail);
  }
  const builtIn = findBuiltInTemplate(template) !== undefined;
  return { source: builtIn ? `built-in template "${template}"` : profileSource(template), template, policy };
}

function selection(selected: Layer, beneath: Layer | null): SelectedLayers {
  const over = beneath === null ? '' : `, over the environment's default: ${beneath.source}`;
  return { selected, beneath, step: passed('policy_selection', 'request', `Selected: ${selected.source}${over}.`) };
}

function refusal(source: Source, code: Refusal['code'], detail: string): Refusal {
  return new Refusal('policy_selection', source, code, detail);
}
