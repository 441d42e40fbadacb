import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ControlPlaneSchemas, PlaybackSchemas } from '@multi-drm/contracts';
import type { DemoTenant } from './demo-tenant';
import { type Answer, type Call, call, callExpecting, UnexpectedAnswer } from './http-call';
import type { StepPrinter } from './step-printer';

type Session = PlaybackSchemas['PlaybackSessionResponse'];
type StreamLimitProblem = PlaybackSchemas['StreamLimitProblemDetails'];

export interface MainJobOptions {
  controlPlaneUrl: string;
  playbackUrl: string;
  apiClientHeaderPrefix: string;
  tenant: DemoTenant;
  printer: StepPrinter;
}

/** With a higher limit, the run would be long without showing more. */
const highestShownLimit = 10;
const followsWithinMilliseconds = 10_000;

/**
 * Shows over HTTP what the service does: a viewer's sessions up to the stream limit, the refusal, a release, and the session that it
 * makes room for. All sessions are released at the end. Each run uses a new viewer, so an interrupted run does not affect later ones.
 */
export async function runMainJob(options: MainJobOptions): Promise<void> {
  const viewer = new Viewer(options);
  const limit = await readStreamLimit(options);
  await viewer.startFirst(limit);
  if (limit === null || limit > highestShownLimit) {
    options.printer.print(
      'Stream limit',
      'no further sessions',
      `the limit of the development environment is ${limit ?? 'off'}`,
    );
  } else {
    for (let number = 2; number <= limit; number++) await viewer.start(`Session ${number}`);
    await viewer.startAndBeRefused(`Session ${limit + 1}`);
    await viewer.releaseOldest('Release');
    await viewer.start(`Session ${limit + 1} again`);
  }
  await viewer.releaseAll();
}

async function readStreamLimit({ controlPlaneUrl, tenant }: MainJobOptions): Promise<number | null> {
  const { body } = await callExpecting<ControlPlaneSchemas['EnvironmentResponse']>(200, {
    method: 'GET',
    url: `${controlPlaneUrl}/api/v1/management/environments/${tenant.environments.development}`,
    headers: { Authorization: `Bearer ${tenant.managementKey}` },
  });
  return body.settings.maximumConcurrentStreams;
}

/** A new viewer of the demo content, and the backend that starts its sessions. */
class Viewer {
  private readonly subject = `demo-viewer-${randomUUID()}`;
  private readonly path: string;
  private readonly sessions: Session[] = [];

  constructor(private readonly options: MainJobOptions) {
    this.path = `/api/v1/playback/environments/${options.tenant.environments.development}/sessions`;
  }

  /** Starts the first session. Waits for what was just published: playback follows within a second. */
  async startFirst(limit: number | null): Promise<void> {
    for (const deadline = Date.now() + followsWithinMilliseconds; ; await sleep(100)) {
      const request = this.request();
      const answer = await call<Session>(request);
      if (answer.status === 200) {
        if (answer.body.policy.maximumConcurrentStreams === limit || Date.now() > deadline) {
          return this.keep('Session 1', answer);
        }
        await this.release(answer.body);
      } else if (Date.now() > deadline) {
        throw new UnexpectedAnswer(request, answer);
      }
    }
  }

  async start(title: string): Promise<void> {
    this.keep(title, await callExpecting<Session>(200, this.request()));
  }

  async startAndBeRefused(title: string): Promise<void> {
    const { body } = await callExpecting<StreamLimitProblem>(429, this.request());
    const active = (body.activeSessions ?? []).map((session) => session.sessionId).join(', ');
    this.options.printer.print(title, `POST ${this.path}`, `429 ${body.code}, limit ${body.limit}, active: ${active}`);
  }

  async releaseOldest(title: string): Promise<void> {
    const session = this.sessions.shift();
    if (session === undefined) return;
    await this.release(session);
    this.options.printer.print(title, `POST ${new URL(session.release.url).pathname}`, '204');
  }

  async releaseAll(): Promise<void> {
    while (this.sessions.length > 0) await this.releaseOldest('Release');
  }

  private keep(title: string, { body }: Answer<Session>): void {
    this.sessions.push(body);
    const outcome = `200, session ${body.sessionId}, up to ${body.policy.maximumHeight} lines, until ${body.expiresAt}`;
    this.options.printer.print(title, `POST ${this.path}`, outcome);
  }

  private async release(session: Session): Promise<void> {
    await callExpecting(204, {
      method: 'POST',
      url: session.release.url,
      headers: { Authorization: `${session.release.authorizationScheme} ${session.drm.drmLicenseToken}` },
      text: '',
    });
  }

  /** The request of a customer backend, with a new session id for every attempt. */
  private request(): Call {
    const { tenant, playbackUrl, apiClientHeaderPrefix } = this.options;
    const json: PlaybackSchemas['CreatePlaybackSessionRequest'] = {
      ...tenant.content,
      drmSystem: 'widevine',
      subject: this.subject,
      sessionId: randomUUID(),
      playbackMode: 'streaming',
      useEnvironmentDefaults: true,
      applicationId: 'demo',
      platformCapabilities: {
        clientPlatform: 'web',
        drmSystems: ['widevine'],
        manifestTypes: ['dash'],
        maximumHeight: 1080,
      },
    };
    return {
      method: 'POST',
      url: playbackUrl + this.path,
      headers: {
        [`${apiClientHeaderPrefix}-Client-Id`]: tenant.apiClient.clientId,
        [`${apiClientHeaderPrefix}-Client-Secret`]: tenant.apiClient.accessKey,
      },
      json,
    };
  }
}
