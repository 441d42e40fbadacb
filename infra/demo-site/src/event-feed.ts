import type { ControlPlaneSchemas } from '@multi-drm/contracts';
import type { ManagementClient } from './management-client';

/** An event as shown to the viewer's browser: without ids. */
export interface ViewerEvent {
  type: ControlPlaneSchemas['EventType'];
  /** When it happened. RFC 3339 in UTC. */
  timestamp: string;
  /** How a session ended; null for other events. */
  reason: ControlPlaneSchemas['SessionEndReason'] | null;
  /** The problem code of a refusal; null for other events. */
  code: string | null;
}

const shownEvents = 10;

/** Returns the viewer's last events, newest first. Throws `ControlPlaneUnavailable`. */
export async function lastEventsOf(management: ManagementClient, subject: string): Promise<ViewerEvent[]> {
  const query = { subject, limit: String(shownEvents) };
  const { items } = await management.read<ControlPlaneSchemas['EventsResponse']>('/events', query);
  return items.map(({ type, timestamp, data }) => ({
    type,
    timestamp,
    reason: 'reason' in data ? data.reason : null,
    code: 'code' in data ? data.code : null,
  }));
}
