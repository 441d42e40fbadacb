import { Problem } from '@multi-drm/contracts';
import type { Transaction } from '../database/database';
import { findPlan, type PlanLimitName } from '../plans/plans';
import { lockPlan } from '../stores/organizations';

const nouns: Record<Exclude<PlanLimitName, 'concurrentStreams'>, string> = {
  projects: 'projects',
  environmentsPerProject: 'environments per project',
  contentAssets: 'content assets',
};

/**
 * Checks, inside the transaction of a create or a restore, that the organization's plan has room for one more record,
 * or for `added` ones. The organization's row is locked until the commit, so that concurrent changes cannot exceed the
 * limit together. `count` counts the existing records. Throws `plan_limit_reached`, which names limit and use.
 */
export async function requireRoom(
  transaction: Transaction,
  organizationId: string,
  limitName: keyof typeof nouns,
  count: (transaction: Transaction) => Promise<number>,
  added = 1,
): Promise<void> {
  const planId = await lockPlan(transaction, organizationId);
  const limit = findPlan(planId ?? '')?.limits[limitName] ?? null;
  if (limit === null || added === 0) return;
  const used = await count(transaction);
  if (used + added <= limit) return;
  const more = added === 1 ? '' : ` This request would add ${added}.`;
  throw new Problem(
    'plan_limit_reached',
    `The plan allows ${limit} ${nouns[limitName]}, and ${used} are in use.${more}`,
    { members: { limit: { name: limitName, maximum: limit, used } } },
  );
}
