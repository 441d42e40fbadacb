import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PlaybackSchemas } from '@multi-drm/contracts';
import type { DemoTenant } from '../demo-tenant';
import { type Answer, type Call, call } from '../http-call';

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

export interface PlaybackClientOptions {
  playbackUrl: string;
  apiClientHeaderPrefix: string;
  tenant: Pick<DemoTenant, 'environments' | 'apiClient' | 'content'>;
}

const attempts = 3;

/** Calls the playback service as a customer backend, with the API client's access key, which never reaches the browser. */
export class PlaybackClient {
  private readonly environmentUrl: string;
  private readonly headers: Record<string, string>;

  constructor(private readonly options: PlaybackClientOptions) {
    const { playbackUrl, apiClientHeaderPrefix, tenant } = options;
    this.environmentUrl = `${playbackUrl}/api/v1/playback/environments/${tenant.environments.development}`;
    this.headers = {
      [`${apiClientHeaderPrefix}-Client-Id`]: tenant.apiClient.clientId,
      [`${apiClientHeaderPrefix}-Client-Secret`]: tenant.apiClient.accessKey,
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
      ...this.options.tenant.content,
      drmSystem: 'widevine',
      subject,
      useEnvironmentDefaults: true,
      applicationId: 'demo-site',
      platformCapabilities: { clientPlatform: 'web', drmSystems: ['widevine'], manifestTypes: ['dash'] },
    };
  }

  /** Calls the service and retries retryable problems. Throws a {@link PlaybackRefusal}. */
  private async ask<Body>(method: 'GET' | 'POST', path: string, json?: object): Promise<Body> {
    const request: Call = { method, url: this.environmentUrl + path, headers: this.headers };
    if (json !== undefined) request.json = json;
    for (let attempt = 1; ; attempt += 1) {
      const answer: Answer<Body | PlaybackProblem> = await call(request);
      if (answer.status < 300) return answer.body as Body;
      const problem = answer.body as PlaybackProblem;
      if (!problem.retryable || attempt === attempts) throw new PlaybackRefusal(problem);
      await sleep(1000 * Math.min(Number(answer.headers.get('Retry-After') ?? 1), 5));
    }
  }
}
