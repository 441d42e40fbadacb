import { type ControlPlaneOperations, type FieldErrors, invalidRequest } from '@multi-drm/contracts';
import type { EndpointInput } from '@multi-drm/service-kit';
import type { AuditEventFilter, AuditEventPosition } from '../../stores/audit-events';
import { type Page, pageOf } from '../../stores/page';
import { timeRangeOf } from '../time-range';
import { parseCursor } from './cursor';

type Query = EndpointInput<ControlPlaneOperations['listAuditEvents'], unknown>['query'];

/** The requested events. */
export interface AuditEventQuery {
  filter: AuditEventFilter;
  page: Page;
  /** Where the page starts; undefined: at the page's offset. */
  cursor: AuditEventPosition | undefined;
}

/** Reads a validated query. Throws `invalid_request` if parameters do not go together. */
export function auditEventQueryOf({ cursor: text, from, to, recordId, ...rest }: Query): AuditEventQuery {
  const page = pageOf(rest);
  const cursor = text === undefined ? undefined : parseCursor(text);
  const errors: FieldErrors = {};
  if (text !== undefined && cursor === undefined) errors.cursor = ['must be the nextCursor of a page'];
  if (text !== undefined && page.offset > 0) errors.offset = ['must not be sent with a cursor'];
  const filter = {
    action: rest.action,
    recordId: recordId?.toLowerCase(), // ids are stored in lower case
    actor: rest.actor,
    ...timeRangeOf({ from, to }, errors),
  };
  if (Object.keys(errors).length > 0) throw invalidRequest(errors);
  return { filter, page, cursor };
}
