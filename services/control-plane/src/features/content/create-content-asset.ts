import { endpoint } from '../../access/endpoint';
import type { ContentService } from './content-service';

export const createContentAsset = (content: ContentService) =>
  endpoint({
    operationId: 'createContentAsset',
    access: { permission: 'content:write', scope: 'environment' },
    handle: async ({ params, body }) => ({ status: 200, body: await content.create(params.environmentId, body) }),
  });
