import { endpoint } from '../../access/endpoint';
import type { ContentService } from './content-service';

export const publishContentAsset = (content: ContentService) =>
  endpoint({
    operationId: 'publishContentAsset',
    access: { permission: 'content:write', scope: 'contentAsset' },
    handle: async ({ params }) => ({ status: 200, body: await content.publish(params.contentAssetId) }),
  });
