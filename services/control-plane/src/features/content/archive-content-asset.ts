import { endpoint } from '../../access/endpoint';
import { conditionalChangeOf } from '../change-of-request';
import type { ContentService } from './content-service';

export const archiveContentAsset = (content: ContentService) =>
  endpoint({
    operationId: 'archiveContentAsset',
    access: { permission: 'content:write', scope: 'contentAsset' },
    handle: async (input) => {
      await content.archive(input.params.contentAssetId, conditionalChangeOf(input));
      return { status: 204 };
    },
  });
