import type { Health } from '@multi-drm/service-kit';
import { endpoint } from '../../access/endpoint';

export const getReadiness = (health: Health) =>
  endpoint({
    operationId: 'getReadiness',
    access: 'public',
    handle: async () => {
      const body = await health.readiness();
      return { status: body.status === 'ready' ? 200 : 503, body };
    },
  });
