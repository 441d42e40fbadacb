import controlPlane from './generated/control-plane.json';
import playback from './generated/playback.json';
import type { ControlPlaneSchemas, PlaybackSchemas } from './types';

/**
 * Values that the OpenAPI documents list, in the same order. The casts are safe: the types are generated from the same documents.
 */

/** Every DRM system. Stored sessions have places in this list. */
export const drmSystems = playback.components.schemas.DrmSystem.enum as readonly PlaybackSchemas['DrmSystem'][];

/** Every track type, in the order in which policies list them. Stored sessions have places in this list. */
export const trackTypes = playback.components.schemas.TrackType.enum as readonly PlaybackSchemas['TrackType'][];

/** The roles of management keys; each includes the permissions of those before it. */
export const managementRoles = controlPlane.components.schemas.ManagementRole
  .enum as readonly ControlPlaneSchemas['ManagementRole'][];
