import { endpoint } from '../../access/endpoint';
import { conditionalChangeOf } from '../change-of-request';
import type { ContentService } from './content-service';

export const publishContentAsset = (content: ContentService) =>
  endpoint({
    operationId: 'publishContentAsset',
    access: { permission: 'content:write', scope: 'contentAsset' },
    handle: async (input) => content.publish(input.params.contentAssetId, conditionalChangeOf(input)),
  });
