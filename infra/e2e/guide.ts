import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import type { PlaybackSchemas } from '@multi-drm/contracts';
import type { Session } from './customer';

type CreateRequest = PlaybackSchemas['CreatePlaybackSessionRequest'];
type Refusal = PlaybackSchemas['StreamLimitProblemDetails'];

/** The guide's backend, whose code is unchanged. */
export interface GuideBackend {
  createSession(request: Omit<CreateRequest, 'sessionId' | 'useEnvironmentDefaults'>): Promise<Session>;
  refusalForBrowser(problem: Refusal): object;
  terminateSession(subject: string, sessionId: string): Promise<void>;
  listSessions(subject?: string): Promise<PlaybackSchemas['LivePlaybackSession'][]>;
  evaluate(request: CreateRequest): Promise<PlaybackSchemas['PlaybackEvaluationResponse']>;
}

/** The guide's player of one session. */
export interface GuidePlayer {
  readonly session: Session;
  renew(): Promise<void>;
  release(): Promise<void>;
}

/** A browser page with the guide's player. */
export interface PlayerPage {
  player: GuidePlayer;
  /** The codes with which the player was told to stop. */
  ends: string[];
  /** Closes the tab. */
  close(): void;
}

/** The environment variables that the guide's backend reads. */
export interface BackendSettings {
  PLAYBACK_URL: string;
  SITE_ID: string;
  CLIENT_ID: string;
  ACCESS_KEY: string;
}

const guide = readFileSync(join(__dirname, '../../docs/playback-integration.md'), 'utf8');

type Language = 'js' | 'json' | 'sh';

/** Returns the code blocks of a language, from the section with the heading or from all sections for integrators. */
export function guideCode(language: Language, heading?: string): string {
  return codeOf(guide, language, (section) =>
    heading === undefined ? !section.startsWith('For operators') : section.startsWith(`${heading}\n`),
  );
}

const licenseBackends = readFileSync(join(__dirname, '../../docs/license-backends.md'), 'utf8');

/** Returns the code blocks of a language from a section of the document on license backends. */
export function licenseBackendsCode(language: Language, heading: string): string {
  return codeOf(licenseBackends, language, (section) => section.startsWith(`${heading}\n`));
}

function codeOf(document: string, language: Language, isChosen: (section: string) => boolean): string {
  const chosen = document.split(/^## /m).filter(isChosen);
  const blocks = chosen.flatMap((section) => [...section.matchAll(/^```(\w+)\n(.*?)^```$/gms)]);
  return blocks.flatMap(([, found, code]) => (found === language ? [code] : [])).join('\n');
}

/** Starts the guide's backend. */
export function startBackend(settings: BackendSettings): GuideBackend {
  const exported = '({ createSession, refusalForBrowser, terminateSession, listSessions, evaluate })';
  return runInNewContext(`${guideCode('js', 'A backend')}\n${exported}`, {
    require,
    process: { env: settings },
    ...{ fetch, setTimeout, AbortSignal, URLSearchParams },
  });
}

/** Opens a page that plays a session. `globals` replace what the browser provides, such as its timers. */
export function openPage(session: Session, globals: object = {}): PlayerPage {
  const listeners = new Map<string, () => void>();
  const ends: string[] = [];
  const player = runInNewContext(`${guideCode('js', 'A player')}\nnew PlaybackSession(session, onEnd)`, {
    session,
    onEnd: (code: string) => void ends.push(code),
    ...{ fetch, setTimeout, clearTimeout, performance, AbortSignal },
    addEventListener: (event: string, listener: () => void) => void listeners.set(event, listener),
    removeEventListener: (event: string) => void listeners.delete(event),
    // Without a content type, fetch labels a string like browsers label a beacon's: text/plain;charset=UTF-8.
    navigator: { sendBeacon: (url: string, body: string) => void fetch(url, { method: 'POST', body }) },
    ...globals,
  });
  return { player, ends, close: () => listeners.get('pagehide')?.() };
}
