import { endpoint } from '../../access/endpoint';
import type { FeatureOptions } from '../feature-options';
import { eventQueryOf } from './event-query';
import { EventService } from './event-service';

/** The operations on events, with their service. */
export function eventEndpoints({ database }: FeatureOptions) {
  const events = new EventService(database);
  return [
    endpoint({
      operationId: 'listEvents',
      access: { permission: 'events:read', scope: 'environment' },
      handle: async ({ params, query }) => ({
        status: 200,
        body: await events.list(params.environmentId, eventQueryOf(params.environmentId, query)),
      }),
    }),
    endpoint({
      operationId: 'getEvent',
      access: { permission: 'events:read', scope: 'environment' },
      handle: async ({ params }) => ({ status: 200, body: await events.read(params.environmentId, params.eventId) }),
    }),
  ];
}
