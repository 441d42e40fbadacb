import type { ControlPlaneSchemas } from '@multi-drm/contracts';
import type { ContentRecord } from '../stores/content-assets';

/** The API representation of a content asset: without its content keys. */
export function contentResponse(asset: ContentRecord): ControlPlaneSchemas['ContentAssetResponse'] {
  return {
    contentAssetId: asset.id,
    environmentId: asset.environmentId,
    contentId: asset.contentId,
    kind: asset.kind,
    title: asset.title,
    manifests: asset.manifests,
    keys: asset.keys.map(({ keyId, trackTypes }) => ({ keyId, trackTypes })),
    audioLanguages: asset.audioLanguages,
    subtitleLanguages: asset.subtitleLanguages,
    licenseProfileId: asset.licenseProfileId,
    status: asset.status,
    createdAt: asset.createdAt.toISOString(),
    updatedAt: asset.updatedAt.toISOString(),
  };
}
