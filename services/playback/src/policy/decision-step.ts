import { Problem, type ProblemCode } from '@multi-drm/contracts';

/** The rules of a decision. Each value of the resolved policy is a rule too, applied by a source. */
export type Rule =
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

export function passed(rule: Rule, source: Source, detail: string): Step {
  return { rule, source, outcome: 'passed', detail };
}

/** The problem of a rule that refuses, with its step, which names the rule and its source. */
export class Refusal extends Problem {
  readonly step: Step;

  constructor(rule: Rule, source: Source, code: ProblemCode, detail: string) {
    super(code, detail);
    this.step = { rule, source, outcome: 'refused', detail };
  }
}
