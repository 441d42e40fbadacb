import { endpoint } from '../../access/endpoint';
import { eventQueryOf } from './event-query';
import type { EventService } from './event-service';

export const listEvents = (events: EventService) =>
  endpoint({
    operationId: 'listEvents',
    access: { permission: 'events:read', scope: 'environment' },
    handle: async ({ params, query }) => ({
      status: 200,
      body: await events.list(params.environmentId, eventQueryOf(params.environmentId, query)),
    }),
  });
