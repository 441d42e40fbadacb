import type { ManagementClient, ManagementSchemas } from '@multi-drm/management-client';

/** An event as shown to the viewer's browser: without ids. */
export interface ViewerEvent {
  type: ManagementSchemas['EventType'];
  /** When it happened. RFC 3339 in UTC. */
  timestamp: string;
  /** How a session ended; null for other events. */
  reason: ManagementSchemas['SessionEndReason'] | null;
  /** The problem code of a refusal; null for other events. */
  code: string | null;
}

const shownEvents = 10;

/** Returns the viewer's last events, newest first. */
export async function lastEventsOf(
  management: ManagementClient,
  environmentId: string,
  subject: string,
): Promise<ViewerEvent[]> {
  const { data } = await management.GET('/api/v1/management/environments/{environmentId}/events', {
    params: { path: { environmentId }, query: { subject, limit: shownEvents } },
  });
  return data.items.map(({ type, timestamp, data }) => ({
    type,
    timestamp,
    reason: 'reason' in data ? data.reason : null,
    code: 'code' in data ? data.code : null,
  }));
}
