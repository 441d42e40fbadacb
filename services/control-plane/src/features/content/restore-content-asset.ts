import { endpoint } from '../../access/endpoint';
import { conditionalChangeOf } from '../../records/change';
import type { ContentService } from './content-service';

export const restoreContentAsset = (content: ContentService) =>
  endpoint({
    operationId: 'restoreContentAsset',
    access: { permission: 'content:write', scope: 'contentAsset', restores: true },
    handle: async (input) => {
      const { contentAsset, etag } = await content.restore(input.params.contentAssetId, conditionalChangeOf(input));
      return { status: 200, body: contentAsset, headers: { ETag: etag } };
    },
  });
