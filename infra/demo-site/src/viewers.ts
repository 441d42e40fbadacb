import { randomBytes } from 'node:crypto';

/** A viewer of the demo site. */
export interface Viewer {
  /** The site's stable id of the viewer: the `subject` of playback sessions. */
  id: string;
  name: string;
}

export const demoViewers: readonly Viewer[] = [
  { id: 'demo-ada', name: 'Ada' },
  { id: 'demo-ben', name: 'Ben' },
];

const cookieName = 'demo_site';
/** When it is reached, the oldest login is removed, so that memory is bounded. */
const maximumLogins = 1000;

/** The logged-in viewers, by a cookie that scripts cannot read. Logins are lost on a restart. */
export class Logins {
  private readonly viewers = new Map<string, Viewer>();

  /** Logs a viewer in; returns the value of the Set-Cookie header, or undefined if the viewer does not exist. */
  logIn(viewerId: unknown): string | undefined {
    const viewer = demoViewers.find(({ id }) => id === viewerId);
    if (viewer === undefined) return undefined;
    const token = randomBytes(24).toString('base64url');
    this.viewers.set(token, viewer);
    const [oldest] = this.viewers.keys();
    if (this.viewers.size > maximumLogins && oldest !== undefined) this.viewers.delete(oldest);
    return `${cookieName}=${token}; Path=/; HttpOnly; SameSite=Strict`;
  }

  /** Logs out; returns the value of the Set-Cookie header. */
  logOut(cookies: string | undefined): string {
    this.viewers.delete(tokenIn(cookies));
    return `${cookieName}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0`;
  }

  /** Returns the viewer logged in with a Cookie header. */
  viewerOf(cookies: string | undefined): Viewer | undefined {
    return this.viewers.get(tokenIn(cookies));
  }
}

function tokenIn(cookies = ''): string {
  const pairs = cookies.split(';').map((pair) => pair.trim().split('='));
  return pairs.find(([name]) => name === cookieName)?.[1] ?? '';
}
