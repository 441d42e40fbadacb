import { type ControlPlaneOperations, type FieldErrors, invalidRequest } from '@multi-drm/contracts';
import type { EndpointInput } from '@multi-drm/service-kit';
import { pageOf } from '../../stores/page';
import type { SessionFilter, SessionPosition } from '../../stores/sessions';
import { formatCursor, positionIn } from '../list-cursor';
import { formatTimePosition, parseTimePosition } from '../time-position';
import { timeRangeOf } from '../time-range';

type Query = EndpointInput<ControlPlaneOperations['listSessions'], unknown>['query'];

/** The requested sessions. */
export interface SessionQuery {
  filter: SessionFilter;
  limit: number;
  /** Where the page starts; undefined: at the newest session. */
  after: SessionPosition | undefined;
}

const list = 'sessions';

/** Reads a validated query. Throws `invalid_request` if parameters do not go together. */
export function sessionQueryOf(environmentId: string, query: Query): SessionQuery {
  const { sessionId, subject, contentId, status, limit, cursor } = query;
  const errors: FieldErrors = {};
  const filter = { sessionId, subject, contentId, status, ...timeRangeOf(query, errors) };
  const position = cursor === undefined ? undefined : positionIn(cursor, { list, ownerId: environmentId });
  const after = position === undefined ? undefined : sessionPositionOf(position);
  if (cursor !== undefined && after === undefined) errors.cursor = ['must be the nextCursor of a page of this list'];
  if (Object.keys(errors).length > 0) throw invalidRequest(errors);
  return { filter, limit: pageOf({ limit }).limit, after };
}

/** The cursor of the sessions after one. */
export const cursorAfterSession = (environmentId: string, { startedAt, reservationId }: SessionPosition) =>
  formatCursor({ list, ownerId: environmentId, position: formatTimePosition({ time: startedAt, id: reservationId }) });

function sessionPositionOf(position: string): SessionPosition | undefined {
  const place = parseTimePosition(position);
  return place && { startedAt: place.time, reservationId: place.id };
}
