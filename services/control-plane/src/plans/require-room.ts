import { Problem } from '@multi-drm/contracts';
import type { Prisma } from '../generated/prisma/client';
import { findPlan, type PlanLimitName } from './plans';

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
  transaction: Prisma.TransactionClient,
  organizationId: string,
  limitName: keyof typeof nouns,
  count: (transaction: Prisma.TransactionClient) => Promise<number>,
  added = 1,
): Promise<void> {
  const planId = await holdPlan(transaction, organizationId);
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

/**
 * Locks the organization's plan until the transaction ends, and returns its id. A transaction that locks other rows
 * before it knows whether it needs room calls this first: creates take the locks in this order.
 */
export async function holdPlan(
  transaction: Prisma.TransactionClient,
  organizationId: string,
): Promise<string | undefined> {
  const [organization] = await transaction.$queryRaw<{ planId: string }[]>`
    SELECT plan_id AS "planId" FROM organization WHERE id = ${organizationId}::uuid FOR NO KEY UPDATE`;
  return organization?.planId;
}
