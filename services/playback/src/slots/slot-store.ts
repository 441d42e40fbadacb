import type { PlaybackSchemas } from '@multi-drm/contracts';

type ContentType = PlaybackSchemas['CreatePlaybackSessionRequest']['contentType'];
type DrmSystem = PlaybackSchemas['DrmSystem'];

/** What a refusal at the limit and the live list show of a session. */
export interface SessionDetails {
  contentId: string;
  contentType: ContentType;
  drmSystem: DrmSystem;
  applicationId?: string | undefined;
  clientPlatform?: string | undefined;
  attemptId?: string | undefined;
  /** The customer's own data; nothing is decided by it. */
  reporting?: Record<string, unknown> | undefined;
}

/** A session that holds a slot; null for details that were not sent. */
export interface ActiveSession {
  sessionId: string;
  contentId: string;
  applicationId: string | null;
  clientPlatform: string | null;
  startedAt: Date;
  expiresAt: Date;
}

/** A session of the live list. */
export interface LiveSession extends ActiveSession {
  subject: string;
  contentType: ContentType;
  drmSystem: DrmSystem;
  attemptId: string | null;
  reporting: Record<string, unknown> | null;
  licenseRequests: number;
}

/** One session of one subject. The same session id under another subject or environment is another session. */
export interface SessionReference {
  environmentId: string;
  subject: string;
  /** 16 to 128 of `A-Z a-z 0-9 . _ ~ -`. */
  sessionId: string;
}

/** A session and the reservation that the caller believes it has. */
export interface ReservationReference extends SessionReference {
  reservationId: string;
}

/** What happens to a new session where the viewer's slots are all taken. */
export type AtStreamLimit = 'reject' | 'evict-oldest';

export interface ReserveRequest extends ReservationReference {
  /** Equal for equal requests: tells a repeat from another use of the id. */
  requestHash: string;
  /**
   * How many slots the subject may hold, this one included; null for no limit. A synchronized viewer's own limit, which
   * the store knows, takes its place.
   */
  limit: number | null;
  /** What no limit, the viewer's own neither, may exceed: the content's ceiling; null for none. */
  limitCeiling: number | null;
  atStreamLimit: AtStreamLimit;
  /** Refuses where the session would add a stream to its organization, which has no more: a repeat adds none. */
  organizationIsFull: boolean;
  /**
   * A session of the same subject that is released in the same step. An unknown id is remembered for a quarter of an hour, so
   * that a create that comes after its replacement takes no slot. Does nothing to a session that has ended.
   */
  replacesSessionId: string | null;
  /** From now to `expiresAt`. */
  lifetimeMilliseconds: number;
  details: SessionDetails;
  /** Kept with the session and given back by `find` and `countLicenseRequest`; opaque here. */
  terms: string;
}

/** Times are Redis' own. */
export interface Reservation {
  reservationId: string;
  startedAt: Date;
  expiresAt: Date;
  serverTime: Date;
  /** The limit that was decided on: null for none. */
  limit: number | null;
}

export type ReserveResult =
  /** `endedSessionIds`: the subject's sessions that made room: evicted ones, and the replaced one. */
  | ({ outcome: 'reserved'; endedSessionIds: string[] } & Reservation)
  /** The same request again, soon after the first: the first one's reservation, unchanged. */
  | ({ outcome: 'repeated' } & Reservation)
  /** `activeSessions`: the subject's live sessions, oldest first, at most 20. */
  | { outcome: 'limit_reached'; limit: number; activeSessions: ActiveSession[] }
  /** The organization has no stream left. */
  | { outcome: 'organization_full' }
  /** The viewer is blocked, by its published document. */
  | { outcome: 'subject_blocked' }
  /** The id is or was in use, and this is no repeat; or this reservation was taken back before it came. `byAnotherRequest`: it was used with another `requestHash`. */
  | { outcome: 'session_id_reused'; byAnotherRequest: boolean };

/** How a session has ended, or `unknown` for an id that is not remembered. */
export type EndedState = 'unknown' | 'released' | 'terminated' | 'evicted' | 'expired';

/** What is remembered of a session. */
export type FoundSession =
  | ({ state: 'reserved'; terms: string } & Reservation)
  | { state: EndedState; serverTime: Date };

export interface RenewRequest extends ReservationReference {
  /** From now to the new `expiresAt`. */
  lifetimeMilliseconds: number;
  /** From the start to the latest `expiresAt` there may be. */
  maximumSessionMilliseconds: number;
  /** Calls of this kind that one session may make in a minute; null for any number. */
  callsPerMinute: number | null;
}

/** What a call on a live session is refused for. */
export type SessionRefusal =
  | { outcome: EndedState | 'other_reservation' | 'subject_blocked' }
  | { outcome: 'rate_limited'; retryAfterSeconds: number };

export type RenewResult = ({ outcome: 'renewed' } & Reservation) | SessionRefusal;

export interface LicenseCall extends ReservationReference {
  callsPerMinute: number | null;
}

export type LicenseCallResult =
  | {
      outcome: 'counted';
      licenseRequests: number;
      startedAt: Date;
      expiresAt: Date;
      serverTime: Date;
      terms: string;
    }
  | SessionRefusal;

/** A page of the live list; `cursor` continues it, null where it is at its end. */
export interface LiveSessionPage {
  sessions: LiveSession[];
  cursor: string | null;
}

export interface PageRequest {
  /** 1 to 1000. */
  limit: number;
  /** From the page before; absent for the first. */
  cursor?: string | undefined;
}

/** A cursor that no page gave out, or one of another list. */
export class InvalidCursor extends Error {}

/** The slots that concurrent streams occupy: each operation is one atomic step, by one clock. */
export interface SlotStore {
  /** Takes a slot for a session, where the limit leaves one. Safe to send again. */
  reserve(request: ReserveRequest): Promise<ReserveResult>;

  /** What is remembered of a session; changes nothing. */
  find(session: SessionReference): Promise<FoundSession>;

  /** Moves a live session's `expiresAt`, never backwards and never past the longest session. */
  renew(request: RenewRequest): Promise<RenewResult>;

  /** Counts a license request of a live session. */
  countLicenseRequest(call: LicenseCall): Promise<LicenseCallResult>;

  /**
   * Frees the slot at once and remembers the id. `reservationId` null: whichever it has. `unchanged`: it had ended before,
   * or is reserved under another reservation id. `unknown`: the id is not remembered, and is not from now on either.
   */
  release(
    session: SessionReference & { reservationId: string | null; reason: 'ended' | 'terminated' },
  ): Promise<'released' | 'unchanged' | 'unknown'>;

  /**
   * Remembers an unknown id, so that its create takes no slot when it comes: until the time, or for a quarter of an hour
   * where that is null. `known`: a session of the id has come; nothing has changed. Rejects where Redis is full.
   */
  remember(session: SessionReference, until: Date | null): Promise<'remembered' | 'known'>;

  /**
   * Takes back a reservation whose answer could not be given, and forgets the id. Does nothing where the session has
   * ended, has another reservation id, or where a repeat was given the same reservation meanwhile. A reservation that is
   * not there takes no slot for a quarter of an hour, should it still come, but where Redis is full now.
   */
  undo(session: ReservationReference): Promise<'undone' | 'unchanged'>;

  /** How many slots a subject holds now. */
  countOf(environmentId: string, subject: string): Promise<number>;

  /** The live sessions of a subject, oldest first; each page as they are at one moment. Throws InvalidCursor. */
  listSubject(environmentId: string, subject: string, page: PageRequest): Promise<LiveSessionPage>;

  /** The live sessions of an environment, each once, in an order that stays while they live. Throws InvalidCursor. */
  listEnvironment(environmentId: string, page: PageRequest): Promise<LiveSessionPage>;
}
