import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PlaybackSchemas } from '@multi-drm/contracts';

export type Session = PlaybackSchemas['PlaybackSessionResponse'];
export type LiveSession = PlaybackSchemas['LivePlaybackSession'];
export type PlaybackProblem = PlaybackSchemas['ProblemDetails'] &
  Partial<Pick<PlaybackSchemas['StreamLimitProblemDetails'], 'limit' | 'activeSessions'>>;

/** Thrown if the playback service returns a problem. */
export class PlaybackRefusal extends Error {
  override readonly name = 'PlaybackRefusal';

  constructor(readonly problem: PlaybackProblem) {
    super(`${problem.code}: ${problem.detail} (request ${problem.requestId})`);
  }
}

/** Thrown if the playback service cannot be reached, or does not answer in JSON. */
export class PlaybackUnreachable extends Error {
  override readonly name = 'PlaybackUnreachable';
}

/** The customer that the site belongs to, and what it plays. */
export interface DemoCustomer {
  environments: { development: string };
  apiClient: { clientId: string; accessKey: string };
  /** A management key with the role `viewer`, to read events. */
  eventsKey: string;
  content: { contentId: string; contentType: 'vod' };
}

export interface PlaybackClientOptions {
  playbackUrl: string;
  apiClientHeaderPrefix: string;
  customer: DemoCustomer;
}

const attempts = 3;
const timeoutMilliseconds = 30_000;

/** Calls the playback service as a customer backend, with the API client's access key, which never reaches the browser. */
export class PlaybackClient {
  private readonly environmentUrl: string;
  private readonly headers: Record<string, string>;

  constructor(private readonly options: PlaybackClientOptions) {
    const { playbackUrl, apiClientHeaderPrefix, customer } = options;
    this.environmentUrl = `${playbackUrl}/api/v1/playback/environments/${customer.environments.development}`;
    this.headers = {
      [`${apiClientHeaderPrefix}-Client-Id`]: customer.apiClient.clientId,
      [`${apiClientHeaderPrefix}-Client-Secret`]: customer.apiClient.accessKey,
    };
  }

  /** Starts playback of the demo content, replacing the given earlier session of the viewer. */
  createSession(subject: string, replacesSessionId?: string): Promise<Session> {
    const json = this.request(subject);
    // Generated once, so that all attempts of this call get the same session.
    json.sessionId = randomUUID();
    if (replacesSessionId !== undefined) json.replacesSessionId = replacesSessionId;
    return this.ask<Session>('POST', '/sessions', json);
  }

  /** Returns the viewer's limit of concurrent streams from an evaluation; null if there is no limit or no policy. */
  async streamLimit(subject: string): Promise<number | null> {
    const path = '/sessions/evaluations';
    const { policy } = await this.ask<PlaybackSchemas['PlaybackEvaluationResponse']>(
      'POST',
      path,
      this.request(subject),
    );
    return policy?.maximumConcurrentStreams ?? null;
  }

  /** Returns the viewer's active sessions. One page is enough, because this site never starts more. */
  async listSessions(subject: string): Promise<LiveSession[]> {
    const path = `/sessions?${new URLSearchParams({ subject, limit: '200' })}`;
    return (await this.ask<PlaybackSchemas['LivePlaybackSessionsResponse']>('GET', path)).items;
  }

  /** Ends a session, for example when the viewer stops another device. */
  async terminateSession(subject: string, sessionId: string): Promise<void> {
    await this.ask('POST', `/sessions/${sessionId}/release`, { subject, reason: 'terminated' });
  }

  private request(subject: string): PlaybackSchemas['CreatePlaybackSessionRequest'] {
    return {
      ...this.options.customer.content,
      drmSystem: 'widevine',
      subject,
      useEnvironmentDefaults: true,
      applicationId: 'demo-site',
      platformCapabilities: { clientPlatform: 'web', drmSystems: ['widevine'], manifestTypes: ['dash'] },
    };
  }

  /** Calls the service and retries retryable problems. Throws {@link PlaybackRefusal} or {@link PlaybackUnreachable}. */
  private async ask<Body>(method: 'GET' | 'POST', path: string, json?: object): Promise<Body> {
    for (let attempt = 1; ; attempt += 1) {
      const response = await this.send(method, path, json);
      const body: unknown = await jsonOf(response);
      if (response.ok) return body as Body;
      const problem = body as PlaybackProblem;
      if (!problem.retryable || attempt === attempts) throw new PlaybackRefusal(problem);
      await sleep(1000 * Math.min(Number(response.headers.get('Retry-After') ?? 1), 5));
    }
  }

  private async send(method: 'GET' | 'POST', path: string, json?: object): Promise<Response> {
    const headers: Record<string, string> = { Accept: 'application/json', ...this.headers };
    const init: RequestInit = { method, headers, signal: AbortSignal.timeout(timeoutMilliseconds) };
    if (json !== undefined) {
      headers['Content-Type'] = 'application/json';
      init.body = JSON.stringify(json);
    }
    try {
      return await fetch(this.environmentUrl + path, init);
    } catch (error) {
      throw new PlaybackUnreachable(`${method} ${path} got no response`, { cause: error });
    }
  }
}

/** The body of a response; undefined if it has none, as that of a release. */
async function jsonOf(response: Response): Promise<unknown> {
  try {
    const text = await response.text();
    return text === '' ? undefined : JSON.parse(text);
  } catch (error) {
    throw new PlaybackUnreachable('the response is not JSON', { cause: error });
  }
}
