import { endpoint } from '../../access/endpoint';
import { updateOf } from '../change-of-request';
import type { ContentService } from './content-service';

export const updateContentAsset = (content: ContentService) =>
  endpoint({
    operationId: 'updateContentAsset',
    access: { permission: 'content:write', scope: 'contentAsset' },
    handle: async (input) => content.update(input.params.contentAssetId, input.body, updateOf(input)),
  });
