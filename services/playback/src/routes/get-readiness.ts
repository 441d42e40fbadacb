import type { Health } from '@multi-drm/service-kit';
import { endpoint } from '../../access/access';

/** GET /api/v1/health/live and /api/v1/health/ready: the probes. */
export const healthEndpoints = (health: Health) => [
  endpoint({
    operationId: 'getLiveness',
    access: 'public',
    async handle() {
      return { status: 200, body: health.liveness() };
    },
  }),
  endpoint({
    operationId: 'getReadiness',
    access: 'public',
    async handle() {
      const body = await health.readiness();
      return { status: body.status === 'ready' ? 200 : 503, body };
    },
  }),
];
