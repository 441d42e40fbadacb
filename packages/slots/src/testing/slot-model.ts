import type { SessionEndReason } from '../events/slot-event';
import type { ReserveRequest } from '../slot-store';

interface ModelSession {
  state: 'reserved' | 'expired' | 'released' | 'evicted';
  reservationId: string;
  requestHash: string;
  repeated: boolean;
  licenseRequests: number;
}

/** A model, without Redis, of what the store must return, keep and append for one subject. */
export class SlotModel {
  viewer: { status: 'active' | 'blocked'; maximumConcurrentStreams: number | null } | null = null;
  private readonly sessions = new Map<string, ModelSession>();
  /** Sessions with a record in Redis, oldest first: active ones, and expired ones that were not removed yet. */
  slots: string[] = [];
  /** Ids that were ended before they were reserved. */
  private readonly ended = new Set<string>();
  /** Sessions that were restored: they started before all others, each after the one before. */
  private readonly restored = new Set<string>();
  /** Reservations that were undone before they arrived. */
  private readonly undone = new Set<string>();
  /** The events that must have been appended since they were last taken, in short. */
  private events: string[] = [];

  private isActive(sessionId: string): boolean {
    return this.sessions.get(sessionId)?.state === 'reserved';
  }

  /** Oldest first. */
  activeSessions(): string[] {
    return this.slots.filter((id) => this.isActive(id));
  }

  /** Returns the events that must have been appended since the last call. */
  takeEvents(): string[] {
    return this.events.splice(0);
  }

  private end(sessionId: string, state: ModelSession['state'], reason: SessionEndReason): void {
    const session = this.sessions.get(sessionId);
    if (session !== undefined) {
      session.state = state;
      this.events.push(`ended ${sessionId} ${session.reservationId} ${reason} ${session.licenseRequests}`);
    }
    this.slots = this.slots.filter((id) => id !== sessionId);
    this.restored.delete(sessionId);
  }

  reserve(request: ReserveRequest): string {
    const { sessionId, reservationId, requestHash } = request;
    if (this.viewer?.status === 'blocked') return 'subject_blocked';
    if (this.undone.has(`${sessionId} ${reservationId}`)) return 'session_id_reused';
    const session = this.sessions.get(sessionId);
    if (session !== undefined) {
      if (session.state !== 'reserved' || session.requestHash !== requestHash) return 'session_id_reused';
      if (session.reservationId === reservationId) return 'reserved';
      session.repeated = true;
      return 'repeated';
    }
    if (this.ended.has(sessionId)) return 'session_id_reused';
    if (request.startsAreUsedUp) return 'starts_used_up';
    const limits = [this.viewer?.maximumConcurrentStreams ?? request.limit, request.limitCeiling];
    const limit = Math.min(...limits.map((each) => each ?? Number.POSITIVE_INFINITY));
    const replaced = this.activeSessions().filter((id) => id === request.replacesSessionId);
    // Expired sessions lose their records when there is no other room.
    if (this.slots.length - replaced.length >= limit) this.sweep();
    const others = this.activeSessions().filter((id) => id !== request.replacesSessionId);
    const excess = Math.max(0, others.length + 1 - limit);
    if (excess > 0 && (request.atStreamLimit === 'reject' || limit === 0)) return 'limit_reached';
    if (request.organizationIsFull && excess + replaced.length === 0) return 'organization_full';
    for (const id of others.slice(0, excess)) this.end(id, 'evicted', 'evicted');
    for (const id of replaced) this.end(id, 'released', 'replaced');
    const { replacesSessionId } = request;
    if (replacesSessionId !== null && replacesSessionId !== sessionId) this.remember(replacesSessionId);
    this.slots.push(sessionId);
    this.sessions.set(sessionId, {
      state: 'reserved',
      reservationId,
      requestHash,
      repeated: false,
      licenseRequests: 0,
    });
    const replacedId = replacesSessionId === sessionId ? null : replacesSessionId;
    this.events.push(`started ${sessionId} ${reservationId} ${replacedId} ${this.slots.length}`);
    return 'reserved';
  }

  restore({ sessionId, reservationId, limit, organizationIsFull }: ReserveRequest): string {
    const isUndone = this.undone.has(`${sessionId} ${reservationId}`);
    if (this.sessions.has(sessionId) || this.ended.has(sessionId) || isUndone) return 'known';
    if (this.viewer?.status === 'blocked') return 'subject_blocked';
    const limits = [this.viewer?.maximumConcurrentStreams, limit].map((each) => each ?? Number.POSITIVE_INFINITY);
    if (this.activeSessions().length >= Math.min(...limits)) return 'limit_reached';
    if (organizationIsFull) return 'organization_full';
    const before = this.slots.filter((id) => this.restored.has(id));
    const after = this.slots.filter((id) => !this.restored.has(id));
    this.slots = [...before, sessionId, ...after];
    this.restored.add(sessionId);
    this.sessions.set(sessionId, {
      state: 'reserved',
      reservationId,
      requestHash: '',
      repeated: false,
      licenseRequests: 0,
    });
    this.events.push(`resumed ${sessionId} ${reservationId}`);
    return 'reserved';
  }

  /** Returns why a call on a session is refused; null if it is not. */
  private refusal({ sessionId, reservationId }: ReserveRequest): string | null {
    const session = this.sessions.get(sessionId);
    if (session?.state !== 'reserved') return session?.state ?? 'unknown';
    if (session.reservationId !== reservationId) return 'other_reservation';
    return this.viewer?.status === 'blocked' ? 'subject_blocked' : null;
  }

  renew(request: ReserveRequest): string {
    return this.refusal(request) ?? 'renewed';
  }

  countLicenseRequest(request: ReserveRequest): string {
    const refusal = this.refusal(request);
    const session = this.sessions.get(request.sessionId);
    if (refusal === null && session !== undefined) session.licenseRequests += 1;
    return refusal ?? 'counted';
  }

  find({ sessionId }: ReserveRequest): string {
    return this.sessions.get(sessionId)?.state ?? 'unknown';
  }

  remember(sessionId: string): string {
    if (this.sessions.has(sessionId)) return 'known';
    this.ended.add(sessionId);
    return 'remembered';
  }

  release({ sessionId, reservationId }: ReserveRequest): string {
    const session = this.sessions.get(sessionId);
    if (session === undefined) return 'unknown';
    if (session.state !== 'reserved' || session.reservationId !== reservationId) return 'unchanged';
    this.end(sessionId, 'released', 'released');
    return 'released';
  }

  undo({ sessionId, reservationId }: ReserveRequest): void {
    const session = this.sessions.get(sessionId);
    const otherIsActive = session?.state === 'reserved' && session.reservationId !== reservationId;
    if (session === undefined || otherIsActive) this.undone.add(`${sessionId} ${reservationId}`);
    if (session?.state !== 'reserved' || session.reservationId !== reservationId || session.repeated) return;
    this.end(sessionId, 'released', 'undone');
    this.sessions.delete(sessionId);
  }

  expire(sessionId: string): void {
    const session = this.sessions.get(sessionId);
    if (session !== undefined) session.state = 'expired';
  }

  sweep(): void {
    for (const id of this.slots) if (!this.isActive(id)) this.end(id, 'expired', 'expired');
  }
}
