import { findBuiltInTemplate, type SignedPolicy, signedPolicy } from '@multi-drm/contracts';
import type { DrmSystem } from './license-backend';

/** A built-in template as license tokens carry its policy, for one DRM system and without a limit of streams. Throws for any other name. */
export function templatePolicy(template: string, drmSystem: DrmSystem): SignedPolicy {
  const { maximumHeight, tracks = [] } = findBuiltInTemplate(template) ?? {};
  return signedPolicy.parse({
    template,
    maximumHeight,
    tracks: tracks.map(({ trackTypes, [drmSystem]: rules }) => ({ trackTypes, [drmSystem]: rules })),
    maximumConcurrentStreams: null,
  });
}
