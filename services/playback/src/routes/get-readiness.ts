import type { Health } from '@multi-drm/service-kit';
import { endpoint } from '../access/access';

/** GET /api/v1/health/ready: whether the service can answer requests. */
export const getReadiness = (health: Health) =>
  endpoint({
    operationId: 'getReadiness',
    access: 'public',
    async handle() {
      const body = await health.readiness();
      return { status: body.status === 'ready' ? 200 : 503, body };
    },
  });
