import type { RandomBytes } from '../../access/credentials';
import type { FeatureOptions } from '../feature-options';
import { ApiClientService } from './api-client-service';
import { createApiClient } from './create-api-client';
import { getApiClient } from './get-api-client';
import { listApiClients } from './list-api-clients';
import { revokeApiClient } from './revoke-api-client';
import { rotateApiClient } from './rotate-api-client';
import { updateApiClient } from './update-api-client';

/** The operations on API clients, with their service. */
export function apiClientEndpoints(options: FeatureOptions & { randomBytes: RandomBytes }) {
  const clients = new ApiClientService(options);
  return [
    createApiClient(clients),
    listApiClients(clients, options.database),
    getApiClient(clients),
    updateApiClient(clients),
    rotateApiClient(clients),
    revokeApiClient(clients),
  ];
}
