import type {
  components as ControlPlaneComponents,
  operations as ControlPlaneOperations,
} from './generated/control-plane';
import type { components as PlaybackComponents, operations as PlaybackOperations } from './generated/playback';

export type { ControlPlaneOperations, PlaybackOperations };

/** Schemas of the control plane's document by name, e.g. `ControlPlaneSchemas['ProjectResponse']`. */
export type ControlPlaneSchemas = ControlPlaneComponents['schemas'];

/** Schemas of the playback service's document by name, e.g. `PlaybackSchemas['PlaybackSessionResponse']`. */
export type PlaybackSchemas = PlaybackComponents['schemas'];
