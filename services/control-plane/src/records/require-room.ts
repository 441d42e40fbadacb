import { Problem } from '@multi-drm/contracts';
import { findPlan, type PlanLimitName } from '../plans/plans';
import type { LockedPlan } from '../stores/organizations';

const nouns: Record<Exclude<PlanLimitName, 'concurrentStreams'>, string> = {
  projects: 'projects',
  environmentsPerProject: 'environments per project',
  contentAssets: 'content assets',
};

/**
 * Checks, inside the transaction of a create or a restore, that the plan has room for one more record, or for `added`
 * ones. `count` counts the existing records. Throws `plan_limit_reached`, which names limit and use.
 */
export async function requireRoom(
  { planId }: LockedPlan,
  limitName: keyof typeof nouns,
  count: () => Promise<number>,
  added = 1,
): Promise<void> {
  const limit = findPlan(planId ?? '')?.limits[limitName] ?? null;
  if (limit === null || added === 0) return;
  const used = await count();
  if (used + added <= limit) return;
  const more = added === 1 ? '' : ` This request would add ${added}.`;
  throw new Problem(
    'plan_limit_reached',
    `The plan allows ${limit} ${nouns[limitName]}, and ${used} are in use.${more}`,
    { members: { limit: { name: limitName, maximum: limit, used } } },
  );
}
