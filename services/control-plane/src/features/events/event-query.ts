import { type ControlPlaneOperations, type FieldErrors, invalidRequest } from '@multi-drm/contracts';
import type { EndpointInput } from '@multi-drm/service-kit';
import { lowestEventIdAt, timeOfEventId } from '../../events/event-id';
import type { EventBound, EventFilter } from '../../stores/events';
import { pageOf } from '../../stores/page';
import { formatCursor, positionIn } from '../list-cursor';
import { timeRangeOf } from '../time-range';

type Query = EndpointInput<ControlPlaneOperations['listEvents'], unknown>['query'];

/** A place in the order in which events were stored. */
export interface StoredPlace {
  /** The event before it. */
  sequence: bigint;
  /** The latest time of the events before it, in milliseconds since 1970; 0: there are none. */
  latest: number;
}

/** The requested events: those before a place, newest first, or those after a place, in the order stored. */
export type EventQuery = { filter: EventFilter; limit: number } & (
  | { order: 'desc'; before: EventBound | undefined }
  | { order: 'asc'; after: StoredPlace }
);

const start: StoredPlace = { sequence: 0n, latest: 0 };
const storedForm = /^(\d{1,18}) (\d{1,15})$/;

/** Reads a validated query. Throws `invalid_request` if parameters do not go together. */
export function eventQueryOf(environmentId: string, query: Query): EventQuery {
  const { type, sessionId, subject, contentId, order = 'desc', limit, cursor } = query;
  const errors: FieldErrors = {};
  const range = timeRangeOf(query, errors);
  const filter = { type, sessionId, subject, contentId, from: boundAt(range.from), to: boundAt(range.to) };
  const position = cursor === undefined ? undefined : positionIn(cursor, { list: order, ownerId: environmentId });
  const before = position === undefined ? undefined : boundOf(position);
  const after = position === undefined ? undefined : storedPlaceOf(position);
  if (cursor !== undefined && (order === 'asc' ? after : before) === undefined) {
    errors.cursor = ['must be the nextCursor of a page of this list, in this order'];
  }
  if (Object.keys(errors).length > 0) throw invalidRequest(errors);
  const page = { filter, limit: pageOf({ limit }).limit };
  return order === 'asc' ? { ...page, order, after: after ?? start } : { ...page, order, before };
}

/** The cursor of what is older than an event. */
export const cursorBefore = (environmentId: string, { id }: { id: string }) =>
  formatCursor({ list: 'desc', ownerId: environmentId, position: id });

/** The cursor of what was stored after a place. */
export const cursorAfter = (environmentId: string, { sequence, latest }: StoredPlace) =>
  formatCursor({ list: 'asc', ownerId: environmentId, position: `${sequence} ${latest}` });

/** The place of an event by its id; undefined if no event can have it. */
export function boundOf(id: string): EventBound | undefined {
  const microseconds = timeOfEventId(id);
  return microseconds === undefined ? undefined : { id, time: new Date(Math.floor(microseconds / 1000)) };
}

/** Where the events of a time begin. Ids hold no times before 1970. */
export function boundAt(time: Date | undefined): EventBound | undefined {
  if (time === undefined) return undefined;
  const milliseconds = Math.max(0, time.getTime());
  return { id: lowestEventIdAt(milliseconds), time: new Date(milliseconds) };
}

function storedPlaceOf(position: string): StoredPlace | undefined {
  const [, sequence, latest] = storedForm.exec(position) ?? [];
  return sequence === undefined ? undefined : { sequence: BigInt(sequence), latest: Number(latest) };
}
