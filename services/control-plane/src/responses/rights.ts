import type { ControlPlaneSchemas } from '@multi-drm/contracts';
import type { RightsRecord } from '../stores/rights';

/** The API representation of rights. */
export function rightsResponse(rights: RightsRecord): ControlPlaneSchemas['RightsResponse'] {
  return {
    rightsId: rights.id,
    projectId: rights.projectId,
    name: rights.name,
    description: rights.description,
    maximumConcurrentStreams: rights.maximumConcurrentStreams,
    atStreamLimit: rights.atStreamLimit === 'evict_oldest' ? 'evict-oldest' : 'reject',
    licenseDurationSeconds: rights.licenseDurationSeconds,
    playbackDurationSeconds: rights.playbackDurationSeconds,
    availableFrom: rights.availableFrom?.toISOString() ?? null,
    availableUntil: rights.availableUntil?.toISOString() ?? null,
    allowedClientPlatforms: rights.allowedClientPlatforms.length === 0 ? null : rights.allowedClientPlatforms,
    status: rights.status,
    createdAt: rights.createdAt.toISOString(),
    updatedAt: rights.updatedAt.toISOString(),
  };
}
