import { type ControlPlaneSchemas, Problem } from '@multi-drm/contracts';
import type { Database } from '../../database/database';
import { readSettledNumber } from '../../events/storing-order';
import { eventGapResponses, eventResponse } from '../../responses/events';
import { type EnvironmentScope, readEnvironmentScope } from '../../stores/environments';
import { listEventGaps } from '../../stores/event-gaps';
import { type EventFilter, type EventRecord, findEvent, listNewestEvents, listStoredEvents } from '../../stores/events';
import { boundOf, cursorAfter, cursorBefore, type EventQuery, type StoredPlace } from './event-query';

type EventsResponse = ControlPlaneSchemas['EventsResponse'];

/** The events of an environment and of its project. */
export class EventService {
  constructor(private readonly database: Database) {}

  async list(environmentId: string, query: EventQuery): Promise<EventsResponse> {
    const environment = await readEnvironmentScope(this.database, environmentId);
    return query.order === 'asc' ? this.listStored(environment, query) : this.listNewest(environment, query);
  }

  /** Throws `not_found`. */
  async read(environmentId: string, eventId: string): Promise<ControlPlaneSchemas['EventResponse']> {
    const { database } = this;
    const environment = await readEnvironmentScope(database, environmentId);
    const place = boundOf(eventId.toLowerCase());
    const event = place && (await findEvent(database, [environment.id, environment.projectId], place));
    if (!event) throw new Problem('not_found', 'There is no such event.');
    return eventResponse(event, environment);
  }

  private async listNewest(
    environment: EnvironmentScope,
    { filter, limit, before }: EventQuery & { order: 'desc' },
  ): Promise<EventsResponse> {
    // One extra event shows whether there is another page.
    const found = await listNewestEvents(this.database, scopesOf(environment, filter), filter, before, limit + 1);
    const events = found.slice(0, limit);
    const last = found.length > limit ? events.at(-1) : undefined;
    const gaps = await listEventGaps(this.database, {
      from: last?.time ?? filter.from?.time,
      to: before?.time ?? filter.to?.time,
    });
    return {
      items: events.map((event) => eventResponse(event, environment)),
      nextCursor: last === undefined ? null : cursorBefore(environment.id, last),
      gaps: eventGapResponses(gaps),
    };
  }

  private async listStored(
    environment: EnvironmentScope,
    { filter, limit, after }: EventQuery & { order: 'asc' },
  ): Promise<EventsResponse> {
    const { database } = this;
    const numbers = { after: after.sequence, upTo: await readSettledNumber(database) };
    const events = await listStoredEvents(database, scopesOf(environment, filter), filter, numbers, limit);
    const place = placeAfter(events, after);
    const gaps = events.length === 0 ? [] : await listEventGaps(database, timesOf(events, after, place));
    return {
      items: events.map((event) => eventResponse(event, environment)),
      nextCursor: cursorAfter(environment.id, place),
      gaps: eventGapResponses(gaps),
    };
  }
}

/** Events of the project have neither session nor content. */
function scopesOf({ id, projectId }: EnvironmentScope, { sessionId, contentId }: EventFilter): string[] {
  return sessionId === undefined && contentId === undefined ? [id, projectId] : [id];
}

function placeAfter(events: EventRecord[], before: StoredPlace): StoredPlace {
  return events.reduce(
    ({ latest }, { sequence, time }) => ({ sequence, latest: Math.max(latest, time.getTime()) }),
    before,
  );
}

/** From the latest time of the pages before, so that no gap lies between two pages. */
function timesOf(events: EventRecord[], before: StoredPlace, after: StoredPlace): { from: Date; to: Date } {
  const from = before.latest > 0 ? before.latest : Math.min(...events.map(({ time }) => time.getTime()));
  return { from: new Date(from), to: new Date(after.latest) };
}
