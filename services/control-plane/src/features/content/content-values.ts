import type { ControlPlaneSchemas } from '@multi-drm/contracts';
import { distinctLanguages } from './distinct-languages';

type ContentUpdate = ControlPlaneSchemas['UpdateContentAssetRequest'];

/** The stored form of what an update sets, without the keys; fields not in the update are absent. */
export function contentValues({ keys: _keys, audioLanguages, subtitleLanguages, ...same }: ContentUpdate) {
  return {
    ...same,
    ...(audioLanguages === undefined ? {} : { audioLanguages: distinctLanguages(audioLanguages) }),
    ...(subtitleLanguages === undefined ? {} : { subtitleLanguages: distinctLanguages(subtitleLanguages) }),
  };
}
