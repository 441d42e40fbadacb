import type { ContentDocument, PlaybackSchemas } from '@multi-drm/contracts';
import { type Found, passed, refused } from './decision-step';

export type Manifest = ContentDocument['manifests'][number];

type ManifestRequest = Pick<PlaybackSchemas['CreatePlaybackSessionRequest'], 'drmSystem' | 'platformCapabilities'>;

export interface ManifestSelection {
  /** The first compatible manifest. */
  selected: Manifest;
  /** In the order of registration. */
  compatible: Manifest[];
}

/**
 * Selects the manifests for the DRM system with a type that the player accepts: any if it does not say. Refuses with
 * `manifest_not_available` if there is none.
 */
export function selectManifests(manifests: Manifest[], request: ManifestRequest): Found<ManifestSelection> {
  const { drmSystem } = request;
  const accepted = request.platformCapabilities?.manifestTypes ?? null;
  const compatible = manifests.filter(
    ({ type, drmSystems }) => drmSystems.includes(drmSystem) && (accepted === null || accepted.includes(type)),
  );
  const [selected] = compatible;
  if (selected !== undefined) {
    const detail = () => `Compatible manifests: ${compatible.map(({ type }) => type).join(', ')}.`;
    return { ...passed('manifests', 'content', detail), found: { selected, compatible } };
  }
  const types = accepted === null ? '' : ' of a type in platformCapabilities.manifestTypes';
  const detail = `The content has no manifest for ${drmSystem}${types}.`;
  return refused('manifests', 'content', 'manifest_not_available', detail);
}
