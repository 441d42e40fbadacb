import type { DemoCustomer } from './playback-client';

/** Thrown if the control plane cannot be reached, or cannot answer now. */
export class ControlPlaneUnavailable extends Error {
  override readonly name = 'ControlPlaneUnavailable';
}

export interface ManagementClientOptions {
  controlPlaneUrl: string;
  customer: DemoCustomer;
}

const timeoutMilliseconds = 5000;

/** Reads from the control plane with a management key, which never reaches the browser. */
export class ManagementClient {
  private readonly url: string;
  private readonly headers: Record<string, string>;

  constructor({ controlPlaneUrl, customer }: ManagementClientOptions) {
    this.url = `${controlPlaneUrl}/api/v1/management/environments/${customer.environments.development}`;
    this.headers = { Accept: 'application/json', Authorization: `Bearer ${customer.eventsKey}` };
  }

  /** Returns the answer at a path of the environment. Throws {@link ControlPlaneUnavailable}. */
  async read<Answer>(path: string, query: Record<string, string> = {}): Promise<Answer> {
    const { status, text } = await this.get(`${this.url}${path}?${new URLSearchParams(query)}`);
    if (status === 429 || status >= 500) throw new ControlPlaneUnavailable(`the control plane returned ${status}`);
    if (status !== 200) throw new Error(`the control plane returned ${status}: ${text}`);
    return JSON.parse(text) as Answer;
  }

  private async get(url: string): Promise<{ status: number; text: string }> {
    try {
      const response = await fetch(url, { headers: this.headers, signal: AbortSignal.timeout(timeoutMilliseconds) });
      return { status: response.status, text: await response.text() };
    } catch (error) {
      throw new ControlPlaneUnavailable('the control plane did not respond', { cause: error });
    }
  }
}
