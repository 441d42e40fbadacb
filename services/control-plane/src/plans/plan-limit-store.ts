import { Problem } from '@multi-drm/contracts';
import type { Prisma } from '../generated/prisma/client';
import { findPlan, type PlanLimitName } from './plans';

const nouns: Record<Exclude<PlanLimitName, 'concurrentStreams'>, string> = {
  projects: 'projects',
  environmentsPerProject: 'environments per project',
  contentAssets: 'content assets',
};

/**
 * Makes sure, inside the transaction of a create, that the organization's plan has room for one more. The organization's
 * row is locked until the commit, so that creates at once cannot pass the limit together. `count` counts what there is.
 * Throws `plan_limit_reached`, which names limit and use.
 */
export async function requireRoom(
  transaction: Prisma.TransactionClient,
  organizationId: string,
  limitName: keyof typeof nouns,
  count: (transaction: Prisma.TransactionClient) => Promise<number>,
): Promise<void> {
  const [organization] = await transaction.$queryRaw<{ planId: string }[]>`
    SELECT plan_id AS "planId" FROM organization WHERE id = ${organizationId}::uuid FOR NO KEY UPDATE`;
  const limit = findPlan(organization?.planId ?? '')?.limits[limitName] ?? null;
  if (limit === null) return;
  const used = await count(transaction);
  if (used < limit) return;
  throw new Problem('plan_limit_reached', `The plan allows ${limit} ${nouns[limitName]}, and ${used} are in use.`, {
    members: { limit: { name: limitName, maximum: limit, used } },
  });
}
