import type { RecordEvent } from '../events/event-outbox';
import type { RecordKindName, RowOf } from './record-kinds';

interface RecordChange<Row> {
  verb: string;
  before: Row | undefined;
  after: Row;
}

type EventOf<Row> = (change: RecordChange<Row>) => RecordEvent | undefined;

/** The changes of records that are events. */
const events: { [Kind in RecordKindName]?: EventOf<RowOf<Kind>> } = {
  contentAsset: ({ before, after }) => {
    const { status, environmentId: scopeId, contentId } = after;
    if (status === before?.status || status === 'draft') return undefined;
    return { type: status === 'published' ? 'content.published' : 'content.archived', scopeId, contentId };
  },
  drmSystem: ({ after }) => ({ type: 'drm_system.changed', scopeId: after.environmentId }),
  endUser: ({ before, after }) => {
    const { status, projectId: scopeId, subject } = after;
    if (status === 'blocked' && before?.status !== 'blocked') return { type: 'end_user.blocked', scopeId, subject };
    if (status === 'active' && before?.status === 'blocked') return { type: 'end_user.unblocked', scopeId, subject };
    return undefined;
  },
  apiClient: ({ verb, after }) =>
    verb === 'rotate' ? { type: 'api_client.rotated', scopeId: after.projectId } : undefined,
  managementKey: ({ verb, after }) =>
    verb === 'rotate' ? { type: 'management_key.rotated', scopeId: after.organizationId } : undefined,
  organization: ({ before, after }) =>
    after.status === 'suspended' && before?.status !== 'suspended'
      ? { type: 'organization.suspended', scopeId: after.id }
      : undefined,
};

/** Returns the event that a change of a record is; undefined if customers are not told of it. */
export function recordEventOf<Kind extends RecordKindName>(
  kind: Kind,
  verb: string,
  before: RowOf<Kind> | undefined,
  after: RowOf<Kind>,
): RecordEvent | undefined {
  const eventOf: EventOf<RowOf<Kind>> | undefined = events[kind];
  return eventOf?.({ verb, before, after });
}
