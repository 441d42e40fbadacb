import type { Secrets } from '@multi-drm/service-kit';
import type { FeatureOptions } from '../feature-options';
import type { LicenseWarningService } from '../license-warnings/license-warning-service';
import { archiveContentAsset } from './archive-content-asset';
import { ContentService } from './content-service';
import { createContentAsset } from './create-content-asset';
import { getContentAsset } from './get-content-asset';
import { listContentAssets } from './list-content-assets';
import { publishContentAsset } from './publish-content-asset';
import { restoreContentAsset } from './restore-content-asset';
import { unpublishContentAsset } from './unpublish-content-asset';
import { updateContentAsset } from './update-content-asset';

interface ContentEndpointsOptions extends FeatureOptions {
  secrets: Secrets;
  warnings: LicenseWarningService;
}

/** The operations on content, with their service. */
export function contentEndpoints(options: ContentEndpointsOptions) {
  const content = new ContentService(options);
  return [
    listContentAssets(content),
    createContentAsset(content),
    getContentAsset(content),
    updateContentAsset(content),
    archiveContentAsset(content),
    publishContentAsset(content),
    unpublishContentAsset(content),
    restoreContentAsset(content),
  ];
}
