import type { ControlPlaneSchemas } from '@multi-drm/contracts';
import type { EnvironmentScope } from '../stores/environments';
import type { EventGapRecord } from '../stores/event-gaps';
import type { EventRecord } from '../stores/events';

type EventResponse = ControlPlaneSchemas['EventResponse'];

/** The API representation of an event of an environment or its project. */
export function eventResponse(event: EventRecord, environment: EnvironmentScope): EventResponse {
  const { organizationId, projectId, id } = environment;
  // Safe: only the reader of events and the changes of records write events, in the documented forms.
  return eventBody(event, {
    organizationId,
    projectId,
    environmentId: event.scopeId === id ? id : null,
  }) as EventResponse;
}

/** What is shown of an event. */
interface ShownEvent
  extends Pick<EventRecord, 'id' | 'type' | 'time' | 'subject' | 'sessionId' | 'reservationId' | 'contentId'> {
  data: unknown;
}

/** Where an event belongs; null: to the whole project, or the whole organization. */
interface ShownScope {
  organizationId: string;
  projectId: string | null;
  environmentId: string | null;
}

/** Returns an event as lists show it and endpoints receive it. */
export function eventBody(event: ShownEvent, scope: ShownScope): object {
  const { id, type, time, data } = event;
  return {
    id,
    type,
    timestamp: time.toISOString(),
    ...scope,
    data: { ...indexedDataOf(event), ...(data as object) },
  };
}

/** What events have in columns, because they are found by it. */
function indexedDataOf({ type, subject, sessionId, reservationId, contentId }: ShownEvent): object {
  const [kind] = type.split('.');
  switch (kind) {
    case 'session':
    case 'license':
      return { subject, sessionId, reservationId, contentId };
    case 'content':
      return { contentId };
    case 'end_user':
      return { subject };
    default:
      return {};
  }
}

/** The API representation of gaps. */
export function eventGapResponses(gaps: EventGapRecord[]): ControlPlaneSchemas['EventGap'][] {
  return gaps.map(({ from, to, count }) => ({
    from: from.toISOString(),
    to: to.toISOString(),
    maximumCount: Number(count),
  }));
}
