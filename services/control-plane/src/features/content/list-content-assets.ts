import { endpoint } from '../../access/endpoint';
import type { ContentService } from './content-service';
import { pageOf } from './page';

export const listContentAssets = (content: ContentService) =>
  endpoint({
    operationId: 'listContentAssets',
    access: { permission: 'content:read', scope: 'environment' },
    handle: async ({ params, query }) => ({
      status: 200,
      body: await content.list(params.environmentId, pageOf(query)),
    }),
  });
