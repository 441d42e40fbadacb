import type { Health } from '@multi-drm/service-kit';
import { getLiveness } from './get-liveness';
import { getReadiness } from './get-readiness';

/** The health checks of the service. */
export function healthEndpoints({ health }: { health: Health }) {
  return [getLiveness(health), getReadiness(health)];
}
