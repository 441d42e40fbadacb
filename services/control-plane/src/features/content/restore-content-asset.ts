import { endpoint } from '../../access/endpoint';
import { conditionalChangeOf } from '../change-of-request';
import type { ContentService } from './content-service';

export const restoreContentAsset = (content: ContentService) =>
  endpoint({
    operationId: 'restoreContentAsset',
    access: { permission: 'content:write', scope: 'contentAsset', restores: true },
    handle: async (input) => content.restore(input.params.contentAssetId, conditionalChangeOf(input)),
  });
