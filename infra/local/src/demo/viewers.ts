import { randomBytes } from 'node:crypto';

/** A customer of the demo site. */
export interface Viewer {
  /** The site's own stable name for the viewer: the `subject` of playback sessions. */
  id: string;
  name: string;
}

export const demoViewers: readonly Viewer[] = [
  { id: 'demo-ada', name: 'Ada' },
  { id: 'demo-ben', name: 'Ben' },
];

const cookieName = 'demo_site';
/** The oldest login goes first: nobody can fill the memory. */
const mostLogins = 1000;

/** Who is logged in, by a cookie that scripts cannot read. Nothing is kept over a restart. */
export class Logins {
  private readonly viewers = new Map<string, Viewer>();

  /** Logs a viewer in; the value of the Set-Cookie header, or undefined where there is no such viewer. */
  logIn(viewerId: unknown): string | undefined {
    const viewer = demoViewers.find(({ id }) => id === viewerId);
    if (viewer === undefined) return undefined;
    const token = randomBytes(24).toString('base64url');
    this.viewers.set(token, viewer);
    const [oldest] = this.viewers.keys();
    if (this.viewers.size > mostLogins && oldest !== undefined) this.viewers.delete(oldest);
    return `${cookieName}=${token}; Path=/; HttpOnly; SameSite=Strict`;
  }

  /** Logs out; the value of the Set-Cookie header. */
  logOut(cookies: string | undefined): string {
    this.viewers.delete(tokenIn(cookies));
    return `${cookieName}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0`;
  }

  /** The viewer of a Cookie header. */
  viewerOf(cookies: string | undefined): Viewer | undefined {
    return this.viewers.get(tokenIn(cookies));
  }
}

function tokenIn(cookies = ''): string {
  const pairs = cookies.split(';').map((pair) => pair.trim().split('='));
  return pairs.find(([name]) => name === cookieName)?.[1] ?? '';
}
