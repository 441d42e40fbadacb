import type { Health } from '@multi-drm/service-kit';
import { endpoint } from '../../access/endpoint';

export const getLiveness = (health: Health) =>
  endpoint({
    operationId: 'getLiveness',
    access: 'public',
    handle: async () => ({ status: 200, body: health.liveness() }),
  });
