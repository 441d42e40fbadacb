import { endpoint } from '../../access/endpoint';
import { conditionalChangeOf } from '../change-of-request';
import type { ContentService } from './content-service';

export const unpublishContentAsset = (content: ContentService) =>
  endpoint({
    operationId: 'unpublishContentAsset',
    access: { permission: 'content:write', scope: 'contentAsset' },
    handle: async (input) => content.unpublish(input.params.contentAssetId, conditionalChangeOf(input)),
  });
