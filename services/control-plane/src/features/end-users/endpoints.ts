import type { FeatureOptions } from '../feature-options';
import { EndUserService } from './end-user-service';
import { EndUserStore } from './end-user-store';
import { eraseEndUser } from './erase-end-user';
import { getEndUser } from './get-end-user';
import { listEndUsers } from './list-end-users';
import { synchronizeEndUser } from './synchronize-end-user';
import { updateEndUser } from './update-end-user';

/** The operations on end users, with their service and store. */
export function endUserEndpoints({ prisma, publisher, now }: FeatureOptions) {
  const endUsers = new EndUserService({ store: new EndUserStore(prisma), publisher, now });
  return [
    listEndUsers(endUsers),
    synchronizeEndUser(endUsers),
    getEndUser(endUsers),
    updateEndUser(endUsers),
    eraseEndUser(endUsers),
  ];
}
