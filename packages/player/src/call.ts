import type { Page } from './page';
import { problemIn, secondsOf } from './problem';
import { authorizationOf, isSession, type PlaybackSession, type SessionRoute } from './session';

const answerWithinMilliseconds = 10_000;
const defaultRetrySeconds = 5;

/** What became of a renewal. */
export type Renewal =
  | { kind: 'renewed'; session: PlaybackSession }
  | { kind: 'refused'; code: string }
  /** There was no answer, none that can be read, or one that says so. */
  | { kind: 'retry'; afterSeconds: number };

/** Renews a session. Never rejects. */
export async function renewSession(page: Page, session: PlaybackSession, renewal: SessionRoute): Promise<Renewal> {
  try {
    return await call(page, session, renewal, async (response) => readRenewal(response, await response.json()));
  } catch {
    return { kind: 'retry', afterSeconds: defaultRetrySeconds };
  }
}

function readRenewal({ ok, headers }: Response, body: unknown): Renewal {
  const retry: Renewal = { kind: 'retry', afterSeconds: defaultRetrySeconds };
  if (ok && isSession(body)) return { kind: 'renewed', session: body };
  if (ok) return Reflect.get(Object(body), 'contractVersion') > 1 ? unsupported : retry;
  const problem = problemIn(body);
  if (problem === undefined) return retry;
  if (!problem.retryable) return { kind: 'refused', code: problem.code };
  return { kind: 'retry', afterSeconds: secondsOf(headers.get('Retry-After')) ?? defaultRetrySeconds };
}

const unsupported: Renewal = { kind: 'refused', code: 'contract_version_unsupported' };

/**
 * Releases a session, again and again until the service has answered or the session is over; by a beacon if the page is left before.
 * Never rejects. Resolves after the first attempt, to whether it succeeded.
 * @param until when the session is over, by `page.performance.now()`
 */
export async function releaseSession(page: Page, session: PlaybackSession, until: number): Promise<boolean> {
  let left = false;
  const leave = () => {
    left = true;
    page.removeEventListener('pagehide', leave);
    sendRelease(page, session);
  };
  const attempt = async (): Promise<boolean> => {
    const answered = await call(page, session, session.release, ({ status }) => status < 500 && status !== 429).catch(
      () => false,
    );
    if (answered || page.performance.now() > until) page.removeEventListener('pagehide', leave);
    else if (!left) page.setTimeout(() => left || attempt(), defaultRetrySeconds * 1000);
    return answered;
  };
  page.addEventListener('pagehide', leave);
  return attempt();
}

/** Releases a session while the page is left, when calls with headers may no longer be sent. */
export function sendRelease(page: Page, { release, drm }: PlaybackSession): void {
  page.navigator.sendBeacon(release.url, drm.drmLicenseToken);
}

/** Calls a route of a session, with a deadline also for the body that `read` reads. */
async function call<Answer>(
  page: Page,
  session: PlaybackSession,
  route: SessionRoute,
  read: (response: Response) => Answer | Promise<Answer>,
): Promise<Answer> {
  const { url, method } = route;
  const controller = new AbortController();
  const timer = page.setTimeout(() => controller.abort(), answerWithinMilliseconds);
  try {
    const headers = { Authorization: authorizationOf(session, route) };
    return await read(await page.fetch(url, { method, headers, keepalive: true, signal: controller.signal }));
  } finally {
    page.clearTimeout(timer);
  }
}
