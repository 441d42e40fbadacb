import type { PlaybackSchemas } from '@multi-drm/contracts';
import { type Checked, type RefusedRule, type Step, stepOf } from './decision-step';
import { changedValueSteps, valueSteps } from './policy-value-steps';
import type { Resolution } from './resolved-policy';

/**
 * Records the rules and values of a decision, in order, up to the first refusal. Their texts are written only when `steps` is
 * called, because a create needs none of them.
 */
export class Explanation {
  private readonly parts: (() => Step[])[] = [];

  constructor(private readonly drmSystem: PlaybackSchemas['DrmSystem']) {}

  /** Adds a checked rule, and returns it. */
  add<Check extends Checked>(check: Check): Check {
    this.parts.push(() => [stepOf(check)]);
    return check;
  }

  /** Runs and adds checks up to the first refusal, which it returns; null if there is none. */
  addUntilRefused(...checks: (() => Checked)[]): RefusedRule | null {
    for (const check of checks) {
      const checked = this.add(check());
      if (checked.outcome === 'refused') return checked;
    }
    return null;
  }

  /** Adds each value of the policy. */
  addValues(resolution: Resolution): void {
    this.parts.push(() => valueSteps(resolution, this.drmSystem));
  }

  /** Adds the values that differ from an earlier resolution. */
  addChangedValues(before: Resolution, after: Resolution): void {
    this.parts.push(() => changedValueSteps(before, after, this.drmSystem));
  }

  /** Writes each rule and value as a step with its source. */
  steps(): Step[] {
    return this.parts.flatMap((part) => part());
  }
}
