import { type ActiveSession, type CreateSessionRequest, PlaybackClient, type PlaybackSession } from '@multi-drm/client';

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

/** Plays the demo content, as a customer backend. The API client's access key never reaches the browser. */
export class DemoPlayback {
  private readonly client: PlaybackClient;

  constructor(private readonly options: PlaybackClientOptions) {
    const { playbackUrl, apiClientHeaderPrefix, customer } = options;
    this.client = new PlaybackClient({
      url: playbackUrl,
      environmentId: customer.environments.development,
      headerPrefix: apiClientHeaderPrefix,
      ...customer.apiClient,
    });
  }

  /** Starts playback of the demo content, replacing the given earlier session of the viewer. */
  createSession(subject: string, replacesSessionId?: string): Promise<PlaybackSession> {
    const request = this.request(subject);
    return this.client.createSession(replacesSessionId === undefined ? request : { ...request, replacesSessionId });
  }

  /** Returns the viewer's limit of concurrent streams from an evaluation; null if there is no limit or no policy. */
  async streamLimit(subject: string): Promise<number | null> {
    const { policy } = await this.client.evaluate(this.request(subject));
    return policy?.maximumConcurrentStreams ?? null;
  }

  /** Returns the viewer's active sessions. */
  async listSessions(subject: string): Promise<ActiveSession[]> {
    const sessions: ActiveSession[] = [];
    for await (const session of this.client.listSessions({ subject })) sessions.push(session);
    return sessions;
  }

  /** Ends a session, for example when the viewer stops another device. */
  terminateSession(subject: string, sessionId: string): Promise<void> {
    return this.client.terminateSession({ subject, sessionId });
  }

  private request(subject: string): CreateSessionRequest {
    return {
      ...this.options.customer.content,
      drmSystem: 'widevine',
      subject,
      useEnvironmentDefaults: true,
      applicationId: 'demo-site',
      platformCapabilities: { clientPlatform: 'web', drmSystems: ['widevine'], manifestTypes: ['dash'] },
    };
  }
}
