import type { ControlPlaneSchemas } from '@multi-drm/contracts';
import type { DemoCustomer } from './playback-client';

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

/** Thrown if the control plane cannot be reached, or cannot answer now. */
export class EventsUnavailable extends Error {
  override readonly name = 'EventsUnavailable';
}

export interface EventFeedOptions {
  controlPlaneUrl: string;
  customer: DemoCustomer;
}

const shownEvents = 10;
const timeoutMilliseconds = 5000;

/** Reads events from the control plane with a management key, which never reaches the browser. */
export class EventFeed {
  private readonly url: string;
  private readonly headers: Record<string, string>;

  constructor({ controlPlaneUrl, customer }: EventFeedOptions) {
    this.url = `${controlPlaneUrl}/api/v1/management/environments/${customer.environments.development}/events`;
    this.headers = { Accept: 'application/json', Authorization: `Bearer ${customer.eventsKey}` };
  }

  /** Returns the viewer's last events, newest first. Throws {@link EventsUnavailable}. */
  async lastOf(subject: string): Promise<ViewerEvent[]> {
    const query = new URLSearchParams({ subject, limit: String(shownEvents) });
    const { status, text } = await this.get(`${this.url}?${query}`);
    if (status === 429 || status >= 500) throw new EventsUnavailable(`the control plane returned ${status}`);
    if (status !== 200) throw new Error(`the control plane returned ${status}: ${text}`);
    const { items } = JSON.parse(text) as ControlPlaneSchemas['EventsResponse'];
    return items.map(({ type, timestamp, data }) => ({
      type,
      timestamp,
      reason: 'reason' in data ? data.reason : null,
      code: 'code' in data ? data.code : null,
    }));
  }

  private async get(url: string): Promise<{ status: number; text: string }> {
    try {
      const response = await fetch(url, { headers: this.headers, signal: AbortSignal.timeout(timeoutMilliseconds) });
      return { status: response.status, text: await response.text() };
    } catch (error) {
      throw new EventsUnavailable('the control plane did not respond', { cause: error });
    }
  }
}
