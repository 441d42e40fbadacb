import { endpoint } from '../../access/endpoint';
import { changeOf } from '../../records/change';
import type { ContentService } from './content-service';

export const updateContentAsset = (content: ContentService) =>
  endpoint({
    operationId: 'updateContentAsset',
    access: { permission: 'content:write', scope: 'contentAsset' },
    handle: async (input) => {
      const { params, body, request } = input;
      const ifMatch = request.get('If-Match');
      const { contentAsset, etag } = await content.update(params.contentAssetId, ifMatch, body, changeOf(input));
      return { status: 200, body: contentAsset, headers: { ETag: etag } };
    },
  });
