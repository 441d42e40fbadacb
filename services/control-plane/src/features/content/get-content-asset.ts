import { endpoint } from '../../access/endpoint';
import type { ContentService } from './content-service';

export const getContentAsset = (content: ContentService) =>
  endpoint({
    operationId: 'getContentAsset',
    access: { permission: 'content:read', scope: 'contentAsset' },
    handle: async ({ params }) => {
      const { contentAsset, etag } = await content.read(params.contentAssetId);
      return { status: 200, body: contentAsset, headers: { ETag: etag } };
    },
  });
