import { endpoint } from '../../access/endpoint';
import { changeOf } from '../../records/change';
import type { ContentService } from './content-service';

export const createContentAsset = (content: ContentService) =>
  endpoint({
    operationId: 'createContentAsset',
    access: { permission: 'content:write', scope: 'environment' },
    handle: async (input) => {
      const { contentAsset, etag } = await content.create(input.params.environmentId, input.body, changeOf(input));
      return { status: 200, body: contentAsset, headers: { ETag: etag } };
    },
  });
