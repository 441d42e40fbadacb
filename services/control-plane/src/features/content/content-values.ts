import type { ControlPlaneSchemas } from '@multi-drm/contracts';
import { canonicalLanguages } from './canonical-languages';

type ContentUpdate = ControlPlaneSchemas['UpdateContentAssetRequest'];

/** What an update sets besides the keys, as it is stored; what it leaves out is absent. */
export function contentValues({ keys: _keys, audioLanguages, subtitleLanguages, ...same }: ContentUpdate) {
  return {
    ...same,
    ...(audioLanguages === undefined ? {} : { audioLanguages: canonicalLanguages(audioLanguages) }),
    ...(subtitleLanguages === undefined ? {} : { subtitleLanguages: canonicalLanguages(subtitleLanguages) }),
  };
}
