/** What a refusal at the limit shows of a session. */
export interface SessionDetails {
  contentId: string;
  applicationId?: string | undefined;
  clientPlatform?: string | undefined;
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

export interface ReserveRequest extends SessionReference {
  /** A nonce, new for every call: the reservation's id if this call makes it. */
  reservationId: string;
  /** Equal for equal requests: tells a repeat from another use of the id. */
  requestHash: string;
  /** How many slots the subject may hold, this one included; null for no limit. */
  limit: number | null;
  /** From now to `expiresAt`. */
  lifetimeMilliseconds: number;
  details: SessionDetails;
}

/** Times are Redis' own. */
export interface Reservation {
  reservationId: string;
  startedAt: Date;
  expiresAt: Date;
  serverTime: Date;
}

export type ReserveResult =
  | ({ outcome: 'reserved' } & Reservation)
  /** The same request again, soon after the first: the first one's reservation, unchanged. */
  | ({ outcome: 'repeated' } & Reservation)
  /** `activeSessions`: the subject's live sessions, oldest first, at most 20. */
  | { outcome: 'limit_reached'; limit: number; activeSessions: ActiveSession[] }
  /** The id is or was in use, and this is no repeat. */
  | { outcome: 'session_id_reused' };

/** The slots that concurrent streams occupy: each operation is one atomic step, by one clock. */
export interface SlotStore {
  /** Takes a slot for a session, where the limit leaves one. Safe to send again. */
  reserve(request: ReserveRequest): Promise<ReserveResult>;

  /**
   * Frees the slot at once and remembers the id, also one that is unknown. `unchanged`: it had ended before, or is
   * reserved under another reservation id.
   */
  release(session: ReservationReference): Promise<'released' | 'unchanged'>;

  /**
   * Takes back a reservation whose answer could not be given, and forgets the id. Does nothing where the session has
   * ended, has another reservation id, or where a repeat was given the same reservation meanwhile.
   */
  undo(session: ReservationReference): Promise<void>;
}
