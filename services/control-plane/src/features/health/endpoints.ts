import type { Health } from '@multi-drm/service-kit';
import { endpoint } from '../../access/endpoint';

/** The health checks of the service. */
export function healthEndpoints({ health }: { health: Health }) {
  return [
    endpoint({
      operationId: 'getLiveness',
      access: 'public',
      handle: async () => ({ status: 200, body: health.liveness() }),
    }),
    endpoint({
      operationId: 'getReadiness',
      access: 'public',
      handle: async () => {
        const body = await health.readiness();
        return { status: body.status === 'ready' ? 200 : 503, body };
      },
    }),
  ];
}
