import { endpoint } from '../../access/endpoint';
import { changeOf } from '../../records/change';
import type { ContentService } from './content-service';

export const archiveContentAsset = (content: ContentService) =>
  endpoint({
    operationId: 'archiveContentAsset',
    access: { permission: 'content:write', scope: 'contentAsset' },
    handle: async (input) => {
      await content.archive(input.params.contentAssetId, changeOf(input));
      return { status: 204 };
    },
  });
