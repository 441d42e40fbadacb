import { endpoint } from '../../access/endpoint';
import type { EventService } from './event-service';

export const getEvent = (events: EventService) =>
  endpoint({
    operationId: 'getEvent',
    access: { permission: 'events:read', scope: 'environment' },
    handle: async ({ params }) => ({ status: 200, body: await events.read(params.environmentId, params.eventId) }),
  });
