import type { FeatureOptions } from '../feature-options';
import { archiveRights } from './archive-rights';
import { createRights } from './create-rights';
import { getRights } from './get-rights';
import { listRights } from './list-rights';
import { restoreRights } from './restore-rights';
import { RightsService } from './rights-service';
import { updateRights } from './update-rights';

/** The operations on rights, with their service. */
export function rightsEndpoints(options: FeatureOptions) {
  const rights = new RightsService(options);
  return [
    listRights(rights, options.database),
    createRights(rights),
    getRights(rights),
    updateRights(rights),
    archiveRights(rights),
    restoreRights(rights),
  ];
}
