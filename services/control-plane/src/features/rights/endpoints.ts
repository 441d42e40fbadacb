import type { FeatureOptions } from '../feature-options';
import { archiveRights } from './archive-rights';
import { createRights } from './create-rights';
import { getRights } from './get-rights';
import { listRights } from './list-rights';
import { restoreRights } from './restore-rights';
import { RightsService } from './rights-service';
import { RightsStore } from './rights-store';
import { updateRights } from './update-rights';

/** The operations on rights, with their service and store. */
export function rightsEndpoints({ prisma, publisher, now }: FeatureOptions) {
  const rights = new RightsService({ store: new RightsStore(prisma), publisher, now });
  return [
    listRights(rights),
    createRights(rights),
    getRights(rights),
    updateRights(rights),
    archiveRights(rights),
    restoreRights(rights),
  ];
}
