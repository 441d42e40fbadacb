import type { ProblemCode } from '@multi-drm/contracts';

/** The rules of a decision. Each value of the resolved policy is a rule too, applied by a source. */
export type Rule =
  | 'sandbox'
  | 'policy_selection'
  | 'policy_rules'
  | ValueRule
  | 'organization_status'
  | 'viewer_status'
  | 'content_found'
  | 'playback_mode'
  | 'player_drm_systems'
  | 'environment_drm_systems'
  | 'content_type'
  | 'content_published'
  | 'content_available'
  | 'client_platform'
  | 'content_ceiling'
  | 'manifests'
  | 'license_backend'
  | 'viewer_stream_limit'
  | 'organization_stream_limit';

/** One for each value of the resolved policy. */
export type ValueRule =
  | 'maximum_height'
  | 'track_types'
  | 'track_rules'
  | 'stream_limit'
  | 'stream_ceiling'
  | 'at_stream_limit'
  | 'license_duration'
  | 'playback_duration'
  | 'available_from'
  | 'available_until'
  | 'client_platforms';

/** What a rule's outcome comes from. `service default`: no other source sets the value. */
export type Source =
  | 'request'
  | 'environment'
  | 'organization'
  | 'end user'
  | 'content'
  | 'custom policy'
  | 'service default'
  | `license profile "${string}"`
  | `built-in template "${string}"`;

/** The outcome of one rule of a decision. `applied` sets a value; the last step for a value counts. */
export interface Step {
  rule: Rule;
  source: Source;
  outcome: 'passed' | 'refused' | 'applied';
  /** Shown to the customer, like the detail of a problem: contains nothing internal. */
  detail: string;
}

/** Why something is refused; the caller gets it as a problem. */
export interface Refusal {
  outcome: 'refused';
  code: ProblemCode;
  /** Shown to the caller: contains nothing internal. */
  detail: string;
}

/** A rule that passed. */
interface Passed {
  outcome: 'passed';
  rule: Rule;
  source: Source;
  /** Writes what an evaluation shows; a create does not ask for it. */
  detail: () => string;
}

/** A rule that refuses, and what its outcome comes from. */
export interface RefusedRule extends Refusal {
  rule: Rule;
  source: Source;
}

/** The result of checking a rule. */
export type Checked = Passed | RefusedRule;

/** The result of a check that finds what the later ones need. */
export type Found<Value> = (Passed & { found: Value }) | RefusedRule;

export function passed(rule: Rule, source: Source, detail: () => string): Passed {
  return { outcome: 'passed', rule, source, detail };
}

export function refused(rule: Rule, source: Source, code: ProblemCode, detail: string): RefusedRule {
  return { outcome: 'refused', rule, source, code, detail };
}

/** Writes the step of a checked rule. */
export function stepOf(check: Checked): Step {
  const { rule, source, outcome } = check;
  return { rule, source, outcome, detail: check.outcome === 'passed' ? check.detail() : check.detail };
}
