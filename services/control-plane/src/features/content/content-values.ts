import type { ControlPlaneSchemas } from '@multi-drm/contracts';
import { canonicalLanguages } from './canonical-languages';

type ContentUpdate = ControlPlaneSchemas['UpdateContentAssetRequest'];

/** The stored form of what an update sets, without the keys; fields not in the update are absent. */
export function contentValues({ keys: _keys, audioLanguages, subtitleLanguages, ...same }: ContentUpdate) {
  return {
    ...same,
    ...(audioLanguages === undefined ? {} : { audioLanguages: canonicalLanguages(audioLanguages) }),
    ...(subtitleLanguages === undefined ? {} : { subtitleLanguages: canonicalLanguages(subtitleLanguages) }),
  };
}
