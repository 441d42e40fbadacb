import type { ContentDocument, PlaybackSchemas } from '@multi-drm/contracts';
import { passed, Refusal, type Step } from './decision-step';

export type Manifest = ContentDocument['manifests'][number];

type ManifestRequest = Pick<PlaybackSchemas['CreatePlaybackSessionRequest'], 'drmSystem' | 'platformCapabilities'>;

export interface ManifestSelection {
  /** The first compatible manifest. */
  selected: Manifest;
  /** In the order of registration. */
  compatible: Manifest[];
}

/**
 * Selects the manifests for the DRM system with a type that the player accepts: any if it does not say. Throws a Refusal with
 * `manifest_not_available` if there is none.
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
  const detail = `The content has no manifest for ${drmSystem}${types}.`;
  throw new Refusal('manifests', 'content', 'manifest_not_available', detail);
}

/** `selectManifests` with a step that names what was found. */
export function checkManifests(
  manifests: Manifest[],
  request: ManifestRequest,
): { selection: ManifestSelection; step: Step } {
  const selection = selectManifests(manifests, request);
  const types = selection.compatible.map(({ type }) => type).join(', ');
  return { selection, step: passed('manifests', 'content', `Compatible manifests: ${types}.`) };
}
