import type { Health } from '@multi-drm/service-kit';
import { endpoint } from '../access/access';

/** GET /api/v1/health/live: whether the process runs. */
export const getLiveness = (health: Health) =>
  endpoint({
    operationId: 'getLiveness',
    access: 'public',
    async handle() {
      return { status: 200, body: health.liveness() };
    },
  });
