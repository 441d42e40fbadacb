import { type ContentDocument, type PlaybackSchemas, Problem } from '@multi-drm/contracts';

export type Manifest = ContentDocument['manifests'][number];

type ManifestRequest = Pick<PlaybackSchemas['CreatePlaybackSessionRequest'], 'drmSystem' | 'platformCapabilities'>;

export interface ManifestSelection {
  /** The first of the compatible ones. */
  selected: Manifest;
  /** In the order in which they were registered. */
  compatible: Manifest[];
}

/**
 * The manifests registered for the DRM system, of a type that the player takes: any, where it does not say. Throws the
 * Problem `manifest_not_available` where there is none.
 */
export function selectManifests(manifests: Manifest[], request: ManifestRequest): ManifestSelection {
  const { drmSystem } = request;
  const accepted = request.platformCapabilities?.manifestTypes ?? null;
  const compatible = manifests.filter(
    ({ type, drmSystems }) => drmSystems.includes(drmSystem) && (accepted === null || accepted.includes(type)),
  );
  const [selected] = compatible;
  if (selected !== undefined) return { selected, compatible };
  const types = accepted === null ? '' : ' of a type in platformCapabilities.manifestTypes';
  throw new Problem('manifest_not_available', `The content has no manifest for ${drmSystem}${types}.`);
}
