import { findBuiltInTemplate, type SignedPolicy, signedPolicy } from '@multi-drm/policy';
import type { DrmSystem } from './license-backend';

/**
 * Returns the signed policy of a built-in template for one DRM system, without a stream limit. Throws for any other
 * name.
 */
export function templatePolicy(template: string, drmSystem: DrmSystem): SignedPolicy {
  const { maximumHeight, tracks = [] } = findBuiltInTemplate(template) ?? {};
  return signedPolicy.parse({
    template,
    maximumHeight,
    tracks: tracks.map(({ trackTypes, [drmSystem]: rules }) => ({ trackTypes, [drmSystem]: rules })),
    maximumConcurrentStreams: null,
  });
}
