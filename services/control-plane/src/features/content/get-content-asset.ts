import { endpoint } from '../../access/endpoint';
import type { ContentService } from './content-service';

export const getContentAsset = (content: ContentService) =>
  endpoint({
    operationId: 'getContentAsset',
    access: { permission: 'content:read', scope: 'contentAsset' },
    handle: async ({ params }) => content.read(params.contentAssetId),
  });
