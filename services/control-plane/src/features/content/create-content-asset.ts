import { endpoint } from '../../access/endpoint';
import { changeOf } from '../change-of-request';
import type { ContentService } from './content-service';

export const createContentAsset = (content: ContentService) =>
  endpoint({
    operationId: 'createContentAsset',
    access: { permission: 'content:write', scope: 'environment' },
    handle: async (input) => content.create(input.params.environmentId, input.body, changeOf(input)),
  });
