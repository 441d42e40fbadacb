import { playRequest } from '../documents/backend-environment';
import type { Session } from '../services/customer';

/** An answer of a backend to its page. `body`: its JSON; undefined if there is none. */
export interface PageAnswer {
  status: number;
  headers: Headers;
  body: unknown;
}

/** A page of one of the example backends, in which a viewer is logged in. */
export class ExamplePage {
  private constructor(
    private readonly url: string,
    private readonly cookie: string,
  ) {}

  static async logIn(url: string, viewer: string): Promise<ExamplePage> {
    const response = await post(`${url}login`, { viewer });
    if (response.status !== 204) throw new Error(`/login: ${response.status}`);
    const cookie = response.headers.getSetCookie().at(-1)?.split(';')[0] ?? '';
    return new ExamplePage(url, cookie);
  }

  async call(path: 'play' | 'stop' | 'logout', body: object = {}): Promise<PageAnswer> {
    const response = await post(`${this.url}${path}`, body, { Cookie: this.cookie });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
  }

  /** Plays; throws if that is refused. */
  async play(more: object = {}): Promise<Session> {
    const { status, body } = await this.call('play', { ...playRequest, ...more });
    if (status !== 200) throw new Error(`/play: ${status} ${JSON.stringify(body)}`);
    return body as Session;
  }
}

/** Renews as the player of a page does; resolves to the new session, or to the code of the problem. */
export async function renew({ renewal, drm }: Session): Promise<Session | string> {
  if (!renewal) throw new Error('the session has no renewal');
  const response = await fetch(renewal.url, {
    method: renewal.method,
    headers: { Authorization: `${renewal.authorizationScheme} ${drm.drmLicenseToken}` },
  });
  const answer = (await response.json()) as Session & { code: string };
  return response.ok ? answer : answer.code;
}

function post(url: string, body: object, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
}
