import { Problem, type ProblemCode } from '@multi-drm/contracts';

/** Every rule of a decision. The values of the resolved policy are rules too: a source applies each of them. */
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

/** What decided. `service default`: nobody said anything, and the service has an answer for that. */
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

/** One rule of a decision. `applied` sets a value; of several for one value, the last one stands. */
export interface Step {
  rule: Rule;
  source: Source;
  outcome: 'passed' | 'refused' | 'applied';
  /** For the customer's people, like the detail of a problem: nothing internal. */
  detail: string;
}

export function passed(rule: Rule, source: Source, detail: string): Step {
  return { rule, source, outcome: 'passed', detail };
}

/** The Problem of a rule that refuses, with the step that says which one and who set it. */
export class Refusal extends Problem {
  readonly step: Step;

  constructor(rule: Rule, source: Source, code: ProblemCode, detail: string) {
    super(code, detail);
    this.step = { rule, source, outcome: 'refused', detail };
  }
}
