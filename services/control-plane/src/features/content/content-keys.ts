import { type ControlPlaneSchemas, secretPlaces } from '@multi-drm/contracts';
import type { Secrets } from '@multi-drm/service-kit';
import type { StoredContentKey } from '../../stores/content-assets';

/** Keys in their stored form. A key sent without its content key keeps the stored one. */
export function sealContentKeys(
  secrets: Secrets,
  contentAssetId: string,
  sent: ControlPlaneSchemas['ContentKeyRequest'][],
  stored: StoredContentKey[],
): StoredContentKey[] {
  return sent.map(({ trackTypes, key, ...rest }) => {
    const keyId = rest.keyId.toLowerCase();
    const sealed =
      key === undefined
        ? stored.find((other) => other.keyId === keyId)?.key
        : secrets.encrypt(secretPlaces.contentKey(contentAssetId, keyId), key.toLowerCase());
    return { keyId, trackTypes, ...(sealed === undefined ? {} : { key: sealed }) };
  });
}
