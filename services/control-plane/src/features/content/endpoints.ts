import type { Secrets } from '@multi-drm/service-kit';
import { endpoint } from '../../access/endpoint';
import { pageOf } from '../../stores/page';
import { changeOf, conditionalChangeOf, updateOf } from '../change-of-request';
import type { FeatureOptions } from '../feature-options';
import type { LicenseWarningService } from '../license-warnings/license-warning-service';
import { ContentService } from './content-service';

interface ContentEndpointsOptions extends FeatureOptions {
  secrets: Secrets;
  warnings: LicenseWarningService;
}

/** The operations on content, with their service. */
export function contentEndpoints(options: ContentEndpointsOptions) {
  const content = new ContentService(options);
  return [
    endpoint({
      operationId: 'listContentAssets',
      access: { permission: 'content:read', scope: 'environment' },
      handle: async ({ params, query }) => ({
        status: 200,
        body: await content.list(params.environmentId, query, pageOf(query)),
      }),
    }),
    endpoint({
      operationId: 'createContentAsset',
      access: { permission: 'content:write', scope: 'environment' },
      handle: async (input) => content.create(input.params.environmentId, input.body, changeOf(input)),
    }),
    endpoint({
      operationId: 'getContentAsset',
      access: { permission: 'content:read', scope: 'contentAsset' },
      handle: async ({ params }) => content.read(params.contentAssetId),
    }),
    endpoint({
      operationId: 'updateContentAsset',
      access: { permission: 'content:write', scope: 'contentAsset' },
      handle: async (input) => content.update(input.params.contentAssetId, input.body, updateOf(input)),
    }),
    endpoint({
      operationId: 'archiveContentAsset',
      access: { permission: 'content:write', scope: 'contentAsset' },
      handle: async (input) => {
        await content.archive(input.params.contentAssetId, conditionalChangeOf(input));
        return { status: 204 };
      },
    }),
    endpoint({
      operationId: 'publishContentAsset',
      access: { permission: 'content:write', scope: 'contentAsset' },
      handle: async (input) => content.publish(input.params.contentAssetId, conditionalChangeOf(input)),
    }),
    endpoint({
      operationId: 'unpublishContentAsset',
      access: { permission: 'content:write', scope: 'contentAsset' },
      handle: async (input) => content.unpublish(input.params.contentAssetId, conditionalChangeOf(input)),
    }),
    endpoint({
      operationId: 'restoreContentAsset',
      access: { permission: 'content:write', scope: 'contentAsset', restores: true },
      handle: async (input) => content.restore(input.params.contentAssetId, conditionalChangeOf(input)),
    }),
  ];
}
