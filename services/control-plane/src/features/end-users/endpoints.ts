import type { FeatureOptions } from '../feature-options';
import { blockEndUser } from './block-end-user';
import { EndUserService } from './end-user-service';
import { eraseEndUser } from './erase-end-user';
import { getEndUser } from './get-end-user';
import { listEndUsers } from './list-end-users';
import { synchronizeEndUser } from './synchronize-end-user';
import { unblockEndUser } from './unblock-end-user';
import { updateEndUser } from './update-end-user';

/** The operations on end users, with their service. */
export function endUserEndpoints(options: FeatureOptions) {
  const endUsers = new EndUserService(options);
  return [
    listEndUsers(endUsers),
    synchronizeEndUser(endUsers),
    getEndUser(endUsers),
    updateEndUser(endUsers),
    blockEndUser(endUsers),
    unblockEndUser(endUsers),
    eraseEndUser(endUsers),
  ];
}
