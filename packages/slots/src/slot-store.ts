import type { PlaybackSchemas, SubjectBuckets } from '@multi-drm/contracts';

type ContentType = PlaybackSchemas['CreatePlaybackSessionRequest']['contentType'];
type DrmSystem = PlaybackSchemas['DrmSystem'];

/**
 * The longest that a session can last with all of its renewals, in milliseconds: the upper limit of every environment's
 * `maximumSessionSeconds`.
 */
export const longestSessionMilliseconds = 86_400_000;

/** The details of a session that a refusal at the limit and the list of active sessions show; null or absent if they were not sent. */
export interface SessionDetails {
  contentId: string;
  contentType: ContentType;
  drmSystem: DrmSystem;
  applicationId?: string | null | undefined;
  clientPlatform?: string | null | undefined;
  attemptId?: string | null | undefined;
  /** The customer's own data; decisions ignore it. */
  reporting?: Record<string, unknown> | null | undefined;
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

/** The details as they are stored with a session; null for those that were not sent. */
export interface StoredDetails {
  contentId: string;
  contentType: ContentType;
  drmSystem: DrmSystem;
  applicationId: string | null;
  clientPlatform: string | null;
  attemptId: string | null;
  reporting: Record<string, unknown> | null;
}

/** An active session with all details that lists show. */
export interface ActiveSessionDetails extends ActiveSession, StoredDetails {
  subject: string;
  licenseRequests: number;
}

/** One session of one subject. The same session id under another subject or environment is another session. */
export interface SessionReference {
  environmentId: string;
  subject: string;
  /** 16 to 128 of `A-Z a-z 0-9 . _ ~ -`. */
  sessionId: string;
}

/** A session and the reservation that the caller expects it to have. */
export interface ReservationReference extends SessionReference {
  reservationId: string;
}

/**
 * A reservation, with the buckets of the generation in which it was decided. If their key changes meanwhile, the generation changes, too.
 */
export interface PlacedReservation extends ReservationReference {
  buckets: SubjectBuckets;
}

/** What happens to a new session if the viewer is at the stream limit. */
export type AtStreamLimit = 'reject' | 'evict-oldest';

export interface ReserveRequest extends PlacedReservation {
  /** Equal for equal requests; distinguishes a repeat from another use of the id. */
  requestHash: string;
  /**
   * How many slots the subject may hold, including this one; null for no limit. A synchronized viewer's own limit, which the store
   * reads, overrides it. No subject holds more than 100.
   */
  limit: number | null;
  /** The content's ceiling, which also caps the viewer's own limit; null for none. */
  limitCeiling: number | null;
  atStreamLimit: AtStreamLimit;
  /** Whether the organization has no streams left, so that a session that would add one is refused. A repeat adds none. */
  organizationIsFull: boolean;
  /** Whether the organization has started as many sessions as it may in this minute, so that only a repeat succeeds. */
  startsAreUsedUp: boolean;
  /**
   * A session of the same subject that is released atomically. An unknown id is remembered for as long as the longest session. A create
   * that arrives after its replacement then takes no slot, and a session that Redis has lost is not restored. An ended session is not
   * changed.
   */
  replacesSessionId: string | null;
  /** From now to `expiresAt`. */
  lifetimeMilliseconds: number;
  details: SessionDetails;
  /** The session's grant; opaque here. Stored with it, and returned by `find`, `countLicenseRequest` and a repeated `reserve`. */
  grant: Buffer;
}

/** All times are those of Redis. */
export interface Reservation {
  reservationId: string;
  startedAt: Date;
  expiresAt: Date;
  serverTime: Date;
  /** The effective limit; null for none. */
  limit: number | null;
}

export type ReserveResult =
  /** `endedSessionIds`: the subject's sessions that were ended to make room: evicted ones and the replaced one. */
  | ({ outcome: 'reserved'; endedSessionIds: string[] } & Reservation)
  /** The same request again, soon after the first: returns the first reservation unchanged, and its grant. */
  | ({ outcome: 'repeated'; grant: Buffer } & Reservation)
  /** `activeSessions`: the subject's active sessions, oldest first, at most 20. */
  | { outcome: 'limit_reached'; limit: number; activeSessions: ActiveSession[] }
  /** The organization has no streams left. */
  | { outcome: 'organization_full' }
  /** The organization may start no session in this minute. */
  | { outcome: 'starts_used_up' }
  /** The viewer is blocked according to its published document. */
  | { outcome: 'subject_blocked' }
  /**
   * The id is or was in use and this is not a repeat, or this reservation was undone before it arrived. `byAnotherRequest`: the id was
   * used with another `requestHash`.
   */
  | { outcome: 'session_id_reused'; byAnotherRequest: boolean };

/** A session that Redis may have lost, with the values of its former reservation. */
export interface RestoreRequest extends PlacedReservation {
  startedAt: Date;
  expiresAt: Date;
  /** From now to the latest possible `expiresAt`. */
  lifetimeMilliseconds: number;
  /** The effective limit of its reservation; null for none. The viewer's own limit counts if it is lower. */
  limit: number | null;
  organizationIsFull: boolean;
  details: SessionDetails;
  grant: Buffer;
}

/** `known`: a session with this id exists, or the id or the reservation is remembered as ended. Only `reserved` changes anything. */
export type RestoreResult =
  | 'reserved'
  | 'known'
  | 'expired'
  | 'subject_blocked'
  | 'limit_reached'
  | 'organization_full';

/** How a session has ended, or `unknown` for an id that is not remembered. */
export type EndedState = 'unknown' | 'released' | 'terminated' | 'evicted' | 'expired';

/** The stored state of a session. */
export type FoundSession =
  | ({ state: 'reserved'; details: StoredDetails; grant: Buffer } & Reservation)
  | { state: EndedState; serverTime: Date };

export interface RenewRequest extends ReservationReference {
  /** From now to the new `expiresAt`. */
  lifetimeMilliseconds: number;
  /** From the start to the latest possible `expiresAt`. */
  maximumSessionMilliseconds: number;
  /** Calls of this kind that one session may make per minute; null for no limit. */
  callsPerMinute: number | null;
}

/** Why a call on a session is refused. */
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
      grant: Buffer;
    }
  | SessionRefusal;

/** A page of a list of active sessions; `cursor` continues it, null at the end. */
export interface ActiveSessionPage {
  sessions: ActiveSessionDetails[];
  cursor: string | null;
}

export interface PageRequest {
  /** 1 to 1000. */
  limit: number;
  /** From the previous page; absent for the first. */
  cursor?: string | undefined;
}

/** A cursor that no page returned, or one of another list. */
export class InvalidCursor extends Error {}

/**
 * The slots that concurrent streams occupy. All times are those of the clock of Redis. Each operation is one atomic step, except
 * `reserve` if very many slots must be removed first, `undo` of a reservation that is not found, and `listEnvironment`.
 */
export interface SlotStore {
  /**
   * Reserves a slot for a session if the limit allows it. Safe to repeat. Decides and reserves in one atomic step; very many expired
   * or evicted slots are removed before it, in portions.
   */
  reserve(request: ReserveRequest): Promise<ReserveResult>;

  /** Reserves the slot of a lost session again, under the same ids and until the same time. Never evicts. Safe to repeat. */
  restore(request: RestoreRequest): Promise<RestoreResult>;

  /** Returns the stored state of a session; changes nothing. */
  find(session: SessionReference): Promise<FoundSession>;

  /** Extends an active session's `expiresAt`, never backwards and never past the maximum session. */
  renew(request: RenewRequest): Promise<RenewResult>;

  /** Counts a license request of an active session. */
  countLicenseRequest(call: LicenseCall): Promise<LicenseCallResult>;

  /**
   * Frees the slot at once and remembers the id. `reservationId` null: any reservation. `unchanged`: the session had already ended, or
   * has another reservation. `unknown`: the id is not remembered, and this does not remember it either.
   */
  release(
    session: SessionReference & { reservationId: string | null; reason: 'ended' | 'terminated' },
  ): Promise<'released' | 'unchanged' | 'unknown'>;

  /**
   * Remembers an unknown id until the given time, or for as long as the longest session if it is null. Neither a later create nor a
   * restored session with this id then takes a slot. `known`: a session with the id exists or has ended; nothing changed. Rejects if Redis
   * is full.
   */
  remember(session: SessionReference, until: Date | null): Promise<'remembered' | 'known'>;

  /**
   * Undoes a reservation whose response could not be delivered, and forgets the id. Does nothing if the session has ended, has another
   * reservation, or if a repeat got the same reservation in the meantime. A reservation that has not arrived yet takes no slot for
   * a quarter of an hour, unless Redis is full now. Each of its steps is atomic: it looks for the reservation, notes the undo if there is
   * none, and undoes a reservation that arrived between the two.
   */
  undo(session: PlacedReservation): Promise<'undone' | 'unchanged'>;

  /** Returns how many slots a subject holds. */
  countOf(environmentId: string, subject: string): Promise<number>;

  /** Lists the active sessions of a subject, oldest first; each page is a consistent snapshot. Throws InvalidCursor. */
  listSubject(environmentId: string, subject: string, page: PageRequest): Promise<ActiveSessionPage>;

  /** Lists the active sessions of an environment, once each, in a stable order. Throws InvalidCursor. */
  listEnvironment(environmentId: string, page: PageRequest): Promise<ActiveSessionPage>;
}
