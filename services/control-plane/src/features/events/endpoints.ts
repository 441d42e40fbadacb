import type { FeatureOptions } from '../feature-options';
import { EventService } from './event-service';
import { getEvent } from './get-event';
import { listEvents } from './list-events';

/** The operations on events, with their service. */
export function eventEndpoints({ database }: FeatureOptions) {
  const events = new EventService(database);
  return [listEvents(events), getEvent(events)];
}
