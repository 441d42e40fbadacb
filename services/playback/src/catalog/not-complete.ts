import { Problem } from '@multi-drm/contracts';

/** What is published is not all there: Redis was emptied, and the control plane fills it, or is away itself. */
export function notComplete(): Problem {
  return new Problem('service_unavailable', 'What is published is not complete for now.');
}
