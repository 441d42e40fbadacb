import { PlaybackError, PlaybackProblem } from '@multi-drm/client';
import {
  type ManagementClient,
  ManagementProblem,
  NoAnswerError,
  UnreadableAnswerError,
} from '@multi-drm/management-client';
import { readAudience } from './audience';
import { lastEventsOf } from './event-feed';
import type { DemoCustomer } from './playback-client';
import { readSandboxSubject, type SandboxSubjects } from './sandbox-subjects';
import type { StartedStream, Streams } from './streams';
import { demoViewers, type Logins, type Viewer } from './viewers';

/** A call of the page to its own backend. */
export interface SiteCall {
  method: string;
  path: string;
  cookies: string | undefined;
  /** The JSON body, if any. */
  body: unknown;
  /** Aborted if the browser hangs up before it has the response. */
  gone: AbortSignal;
}

export interface SiteAnswer {
  status: number;
  json?: unknown;
  headers?: Record<string, string>;
}

/** What viewers may choose from. */
interface Choices {
  titles: DemoCustomer['titles'];
  /** Rejects if playback cannot be reached. */
  readSubjects: () => Promise<SandboxSubjects>;
}

/** Handles the page's calls: login, state, start, stop, the last events and the audience. */
export class SiteBackend {
  constructor(
    private readonly logins: Logins,
    private readonly streams: Streams,
    private readonly management: ManagementClient,
    private readonly environmentId: string,
    private readonly choices: Choices,
    private readonly onFailure: (error: unknown) => void,
  ) {}

  async answer(call: SiteCall): Promise<SiteAnswer> {
    const { method, path, cookies, body } = call;
    const viewer = this.logins.viewerOf(cookies);
    const route = `${method} ${path}`;
    if (route === 'POST /api/login') return this.logIn(body);
    if (route === 'POST /api/logout') return { status: 204, headers: { 'Set-Cookie': this.logins.logOut(cookies) } };
    if (route === 'GET /api/state') return this.refusable(viewer, () => this.state(viewer));
    if (route === 'GET /api/sandbox') return this.sandbox();
    if (route === 'GET /api/events' && viewer !== undefined) {
      return this.refusable(viewer, () => this.lastEvents(viewer));
    }
    if (route === 'GET /api/audience' && viewer !== undefined) {
      return this.refusable(viewer, async () => ({
        status: 200,
        json: await readAudience(this.management, this.environmentId, new Date()),
      }));
    }
    if (viewer === undefined && (method === 'POST' || /^GET \/api\/(events|audience)$/.test(route))) {
      return { status: 401, json: { code: 'not_logged_in' } };
    }
    if (viewer !== undefined && isOther(viewer, field(body, 'viewer'))) {
      return { status: 409, json: { code: 'other_viewer' } };
    }
    if (viewer !== undefined && route === 'POST /api/streams') {
      const replaces = field(body, 'replaces');
      const sandbox = readSandboxSubject(field(body, 'sandbox'));
      // A real shop would check here whether the viewer has paid. Both demo viewers have.
      const start = async () => {
        const number = typeof replaces === 'number' ? replaces : undefined;
        const contentId = this.contentIdOf(field(body, 'title'));
        return { status: 200, json: await this.startFor(sandbox ?? viewer.id, contentId, number, call.gone) };
      };
      return this.refusable(viewer, start, sandbox !== undefined);
    }
    const number = /^POST \/api\/streams\/(\d{1,9})\/stop$/.exec(route)?.[1];
    if (viewer !== undefined && number !== undefined) {
      return this.refusable(viewer, async () => {
        return { status: (await this.streams.stop(viewer.id, Number(number))) ? 204 : 404 };
      });
    }
    return { status: 404, json: { code: 'not_found' } };
  }

  /** Starts a stream and stops it if the browser has hung up, because it would neither play nor release it. */
  private async startFor(
    subject: string,
    contentId: string,
    replaces: number | undefined,
    gone: AbortSignal,
  ): Promise<StartedStream> {
    const started = await this.streams.start(subject, contentId, replaces);
    const undo = () => this.streams.stop(subject, started.number);
    if (gone.aborted) await undo();
    else gone.addEventListener('abort', () => void undo().catch(this.onFailure), { once: true });
    return started;
  }

  /** The title with this content id, or else the first. */
  private contentIdOf(asked: unknown): string {
    const { titles } = this.choices;
    return (titles.find(({ contentId }) => contentId === asked) ?? titles[0])?.contentId ?? '';
  }

  private async sandbox(): Promise<SiteAnswer> {
    try {
      return { status: 200, json: await this.choices.readSubjects() };
    } catch (error) {
      this.onFailure(error);
      return { status: 503, json: { code: 'service_unavailable' } };
    }
  }

  private logIn(body: unknown): SiteAnswer {
    const cookie = this.logins.logIn(field(body, 'viewer'));
    if (cookie === undefined) return { status: 400, json: { code: 'no_such_viewer' } };
    return { status: 204, headers: { 'Set-Cookie': cookie } };
  }

  private async state(viewer: Viewer | undefined): Promise<SiteAnswer> {
    const choices = {
      viewers: demoViewers,
      titles: this.choices.titles.map(({ contentId, title }) => ({ contentId, title })),
    };
    if (viewer === undefined) return { status: 200, json: { ...choices, viewer: null, streams: [], limit: null } };
    const [streams, limit] = await Promise.all([this.streams.list(viewer.id), this.streams.limit(viewer.id)]);
    return { status: 200, json: { ...choices, viewer, streams, limit } };
  }

  /** Apart from the state, so that the page does not need the control plane. */
  private async lastEvents({ id }: Viewer): Promise<SiteAnswer> {
    const events = await lastEventsOf(this.management, this.environmentId, id);
    return { status: 200, json: { viewer: id, events } };
  }

  /** Turns the service's refusals into responses for browsers. `inSandbox`: the streams of the refusal are not the viewer's. */
  private async refusable(
    viewer: Viewer | undefined,
    answer: () => Promise<SiteAnswer>,
    inSandbox = false,
  ): Promise<SiteAnswer> {
    try {
      return await answer();
    } catch (error) {
      if (error instanceof PlaybackProblem && viewer !== undefined) {
        const json = inSandbox ? { code: error.code } : this.streams.describeRefusal(viewer.id, error);
        return { status: error.status === 503 ? 503 : 409, json };
      }
      if (error instanceof PlaybackError || isUnavailable(error)) {
        return { status: 503, json: { code: 'service_unavailable' } };
      }
      throw error;
    }
  }
}

/** Whether the control plane could not be reached, or cannot answer now. */
function isUnavailable(error: unknown): boolean {
  if (error instanceof ManagementProblem) return error.retryable;
  return error instanceof NoAnswerError || error instanceof UnreadableAnswerError;
}

function field(body: unknown, name: string): unknown {
  return typeof body === 'object' && body !== null ? Reflect.get(body, name) : undefined;
}

/** The tabs of a browser share a login: a tab that shows another viewer must not act for the logged-in one. */
function isOther(viewer: Viewer, named: unknown): boolean {
  return named !== undefined && named !== viewer.id;
}
