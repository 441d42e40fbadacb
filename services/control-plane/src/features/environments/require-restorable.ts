import { Problem } from '@multi-drm/contracts';
import type { Transaction } from '../../database/database';
import { countContentOf } from '../../stores/content-assets';
import { lockNeededProfiles } from '../../stores/environment-needs';
import type { LockedPlan } from '../../stores/organizations';
import { requireRoomForContent } from '../content/require-room-for-content';
import { platformCapabilities } from '../platform/platform-capabilities';

/** Environments of one project that are to be restored. */
interface Restored {
  plan: LockedPlan;
  projectId: string;
  environments: { id: string; name: string; defaultLicensePolicyTemplate: string | null }[];
}

/**
 * Checks that archived environments can be restored: the license profiles that they and their content need are active
 * and stay so until the transaction ends, and the plan has room for their content. Throws `conflict`, which names what
 * to restore first, or `plan_limit_reached`.
 */
export async function requireRestorable(
  transaction: Transaction,
  { plan, projectId, environments }: Restored,
): Promise<void> {
  const ids = environments.map(({ id }) => id);
  const defaults = environments.flatMap(({ defaultLicensePolicyTemplate: name }) =>
    name === null || platformCapabilities.policyTemplates.includes(name) ? [] : [name],
  );
  const profiles = await lockNeededProfiles(transaction, projectId, defaults, ids);
  const archived = profiles.find(({ status }) => status === 'archived');
  if (archived !== undefined) {
    throw new Problem(
      'conflict',
      `The license profile "${archived.name}" (${archived.id}) is archived: restore it first.`,
    );
  }
  const missing = defaults.find((name) => !profiles.some((profile) => profile.name === name));
  if (missing !== undefined) {
    // The profile was renamed: environments refer to profiles by name, and only those in use prevent a rename.
    throw new Problem(
      'conflict',
      `The default "${missing}" is no longer a license profile of the project: create it first.`,
    );
  }
  await requireRoomForContent(transaction, plan, await countContentOf(transaction, ids));
}
