import { type ActiveSession, type CreateSessionRequest, PlaybackClient, type PlaybackSession } from '@multi-drm/client';

/** The customer that the site belongs to, and what it plays. */
export interface DemoCustomer {
  environments: { development: string };
  apiClient: { clientId: string; accessKey: string };
  /** A management key with the role `viewer`, to read events. */
  eventsKey: string;
  titles: { contentId: string; contentType: 'vod'; title: string }[];
}

export interface PlaybackClientOptions {
  playbackUrl: string;
  apiClientHeaderPrefix: string;
  customer: DemoCustomer;
}

/** How long a viewer waits for the page to say something, in milliseconds. */
const viewersPatience = 5_000;

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
      deadlineMilliseconds: viewersPatience,
    });
  }

  /** Starts playback of a title, replacing the given earlier session of the viewer. */
  createSession(subject: string, contentId: string, replacesSessionId?: string): Promise<PlaybackSession> {
    const request = this.request(subject, contentId);
    return this.client.createSession(replacesSessionId === undefined ? request : { ...request, replacesSessionId });
  }

  /** Returns the viewer's limit of concurrent streams from an evaluation; null if there is no limit or no policy. */
  async streamLimit(subject: string): Promise<number | null> {
    const { policy } = await this.client.evaluate(
      this.request(subject, this.options.customer.titles[0]?.contentId ?? ''),
    );
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

  private request(subject: string, contentId: string): CreateSessionRequest {
    return {
      contentId,
      contentType: 'vod',
      drmSystem: 'widevine',
      subject,
      useEnvironmentDefaults: true,
      applicationId: 'demo-site',
      platformCapabilities: { clientPlatform: 'web', drmSystems: ['widevine'], manifestTypes: ['dash'] },
    };
  }
}
