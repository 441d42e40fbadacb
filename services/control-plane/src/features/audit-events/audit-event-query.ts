import { type ControlPlaneOperations, type FieldErrors, invalidRequest } from '@multi-drm/contracts';
import { type Page, pageOf } from '../../records/page';
import { type Cursor, parseCursor } from './cursor';

type Query = NonNullable<ControlPlaneOperations['listAuditEvents']['parameters']['query']>;

/** What the list is narrowed to. */
export interface AuditEventFilter {
  action: string | undefined;
  recordId: string | undefined;
  /** The actor's id. */
  actor: string | undefined;
  /** The first moment that is listed. */
  from: Date | undefined;
  /** The first moment that is not listed any more. */
  to: Date | undefined;
}

/** Which events are asked for. */
export interface AuditEventQuery {
  filter: AuditEventFilter;
  page: Page;
  /** Where the page begins; undefined: at the page's offset. */
  cursor: Cursor | undefined;
}

/** Reads a validated query. Throws `invalid_request`, which names what does not go together. */
export function auditEventQueryOf({ cursor: text, from, to, recordId, ...rest }: Query): AuditEventQuery {
  const page = pageOf(rest);
  const cursor = text === undefined ? undefined : parseCursor(text);
  const filter = {
    action: rest.action,
    recordId: recordId?.toLowerCase(), // ids are stored in lower case
    actor: rest.actor,
    from: from === undefined ? undefined : new Date(from),
    to: to === undefined ? undefined : new Date(to),
  };
  const errors: FieldErrors = {};
  if (text !== undefined && cursor === undefined) errors.cursor = ['must be the nextCursor of a page'];
  if (text !== undefined && page.offset > 0) errors.offset = ['must not be sent with a cursor'];
  if (filter.from !== undefined && filter.to !== undefined && filter.from >= filter.to) {
    errors.to = ['must lie after from'];
  }
  if (Object.keys(errors).length > 0) throw invalidRequest(errors);
  return { filter, page, cursor };
}
