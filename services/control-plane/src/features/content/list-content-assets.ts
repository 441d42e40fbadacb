import { endpoint } from '../../access/endpoint';
import { pageOf } from '../../stores/page';
import type { ContentService } from './content-service';

export const listContentAssets = (content: ContentService) =>
  endpoint({
    operationId: 'listContentAssets',
    access: { permission: 'content:read', scope: 'environment' },
    handle: async ({ params, query }) => ({
      status: 200,
      body: await content.list(params.environmentId, query, pageOf(query)),
    }),
  });
