import { Problem } from '@multi-drm/contracts';

/** The published documents are incomplete: Redis was emptied, and the control plane is refilling it or is down. */
export function notComplete(): Problem {
  return new Problem('service_unavailable', 'The published data is incomplete at the moment.');
}
