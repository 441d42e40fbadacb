import { endpoint } from '../../access/endpoint';
import { conditionalChangeOf } from '../../records/change';
import type { ContentService } from './content-service';

export const unpublishContentAsset = (content: ContentService) =>
  endpoint({
    operationId: 'unpublishContentAsset',
    access: { permission: 'content:write', scope: 'contentAsset' },
    handle: async (input) => {
      const { contentAsset, etag } = await content.unpublish(input.params.contentAssetId, conditionalChangeOf(input));
      return { status: 200, body: contentAsset, headers: { ETag: etag } };
    },
  });
