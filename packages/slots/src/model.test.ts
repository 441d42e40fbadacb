import fc from 'fast-check';
import { ExpiredSessions } from './expired-sessions';
import type { ReserveRequest } from './slot-store';
import { buckets } from './testing/subject-buckets';
import {
  describeOnEveryRedis,
  ended,
  exactClock,
  expectOutcome,
  newRequest,
  publishViewer,
  slotSettings,
  storeOn,
  subjectState,
  untilRedisTime,
} from './testing/test-store';

interface ModelSession {
  state: 'reserved' | 'expired' | 'released' | 'evicted';
  reservationId: string;
  requestHash: string;
  repeated: boolean;
}

/** A model, without Redis, of what the store must return and keep for one subject. */
class Model {
  viewer: { status: 'active' | 'blocked'; maximumConcurrentStreams: number | null } | null = null;
  private readonly sessions = new Map<string, ModelSession>();
  /** Sessions with a record in Redis, oldest first: active ones, and expired ones that were not removed yet. */
  slots: string[] = [];
  /** Ids that were ended before they were reserved. */
  private readonly ended = new Set<string>();
  /** Sessions that were reserved anew: they started before all others, each after the one before. */
  private readonly anew = new Set<string>();
  /** Reservations that were undone before they arrived. */
  private readonly undone = new Set<string>();

  private isActive(sessionId: string): boolean {
    return this.sessions.get(sessionId)?.state === 'reserved';
  }

  /** Oldest first. */
  activeSessions(): string[] {
    return this.slots.filter((id) => this.isActive(id));
  }

  private end(sessionId: string, state: ModelSession['state']): void {
    const session = this.sessions.get(sessionId);
    if (session !== undefined) session.state = state;
    this.slots = this.slots.filter((id) => id !== sessionId);
    this.anew.delete(sessionId);
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
    if (this.slots.length - replaced.length >= limit) this.slots = this.activeSessions();
    const others = this.activeSessions().filter((id) => id !== request.replacesSessionId);
    const excess = Math.max(0, others.length + 1 - limit);
    if (excess > 0 && (request.atStreamLimit === 'reject' || limit === 0)) return 'limit_reached';
    if (request.organizationIsFull && excess + replaced.length === 0) return 'organization_full';
    for (const id of others.slice(0, excess)) this.end(id, 'evicted');
    for (const id of replaced) this.end(id, 'released');
    const { replacesSessionId } = request;
    if (replacesSessionId !== null && replacesSessionId !== sessionId) this.remember(replacesSessionId);
    this.slots.push(sessionId);
    this.sessions.set(sessionId, { state: 'reserved', reservationId, requestHash, repeated: false });
    return 'reserved';
  }

  reserveAnew({ sessionId, reservationId, limit, organizationIsFull }: ReserveRequest): string {
    const isUndone = this.undone.has(`${sessionId} ${reservationId}`);
    if (this.sessions.has(sessionId) || this.ended.has(sessionId) || isUndone) return 'known';
    if (this.viewer?.status === 'blocked') return 'subject_blocked';
    const limits = [this.viewer?.maximumConcurrentStreams, limit].map((each) => each ?? Number.POSITIVE_INFINITY);
    if (this.activeSessions().length >= Math.min(...limits)) return 'limit_reached';
    if (organizationIsFull) return 'organization_full';
    const before = this.slots.filter((id) => this.anew.has(id));
    const after = this.slots.filter((id) => !this.anew.has(id));
    this.slots = [...before, sessionId, ...after];
    this.anew.add(sessionId);
    this.sessions.set(sessionId, { state: 'reserved', reservationId, requestHash: '', repeated: false });
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
    return this.refusal(request) ?? 'counted';
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
    this.end(sessionId, 'released');
    return 'released';
  }

  undo({ sessionId, reservationId }: ReserveRequest): void {
    const session = this.sessions.get(sessionId);
    const otherIsActive = session?.state === 'reserved' && session.reservationId !== reservationId;
    if (session === undefined || otherIsActive) this.undone.add(`${sessionId} ${reservationId}`);
    if (session?.state !== 'reserved' || session.reservationId !== reservationId || session.repeated) return;
    this.end(sessionId, 'released');
    this.sessions.delete(sessionId);
  }

  expire(sessionId: string): void {
    const session = this.sessions.get(sessionId);
    if (session !== undefined) session.state = 'expired';
  }

  sweep(): void {
    this.slots = this.activeSessions();
  }
}

const sessionId = fc.integer({ min: 1, max: 8 }).map((number) => `session-number-${number}`);
const limit = fc.constantFrom(null, 0, 1, 2, 3);
const step = fc.record({
  verb: fc.constantFrom(
    'reserve',
    'reserve',
    'reserve',
    'release',
    'remember',
    'undo',
    'reserve anew',
    'renew',
    'count',
    'find',
    'expire',
    'sweep',
    'publish',
  ),
  sessionId,
  reservationId: fc.constantFrom('nonce-1', 'nonce-1', 'nonce-2'),
  requestHash: fc.constantFrom('usual', 'usual', 'usual', 'another'),
  limit,
  limitCeiling: fc.constantFrom(null, null, 1, 2),
  atStreamLimit: fc.constantFrom('reject' as const, 'evict-oldest' as const),
  organizationIsFull: fc.constantFrom(false, false, true),
  startsAreUsedUp: fc.constantFrom(false, false, false, true),
  replacesSessionId: fc.option(sessionId),
  lifetimeMilliseconds: fc.integer({ min: 60_000, max: 1_000_000 }),
  viewer: fc.constantFrom(
    null,
    { status: 'blocked' as const, maximumConcurrentStreams: null },
    { status: 'active' as const, maximumConcurrentStreams: null },
    { status: 'active' as const, maximumConcurrentStreams: 2 },
  ),
});

describeOnEveryRedis((client) => {
  it('the slot store follows the rules and keeps its keys consistent for any sequence of calls', async () => {
    const store = storeOn(client);
    const clock = exactClock();
    const onFailure = (error: unknown) => expect(error).toBeUndefined();
    const expired = new ExpiredSessions({ client, clock, ...slotSettings, onFailure });
    const play = async (steps: (typeof step extends fc.Arbitrary<infer Step> ? Step : never)[]): Promise<void> => {
      const model = new Model();
      const subject = newRequest();
      const bucket = buckets.bucketOf(subject.environmentId, subject.subject);
      let shortSessions = 0;
      let anew = 0;
      for (const { verb, viewer, ...changes } of steps) {
        const request: ReserveRequest = { ...subject, ...changes };
        const call = { ...request, maximumSessionMilliseconds: 2_000_000, callsPerMinute: null };
        if (verb === 'reserve') {
          expect((await store.reserve(request)).outcome).toBe(model.reserve(request));
        } else if (verb === 'release') {
          expect(await store.release(ended(request))).toBe(model.release(request));
        } else if (verb === 'remember') {
          expect(await store.remember(request, null)).toBe(model.remember(request.sessionId));
        } else if (verb === 'undo') {
          await store.undo(request);
          model.undo(request);
        } else if (verb === 'reserve anew') {
          anew += 1;
          const startedAt = new Date(1_000_000_000_000 + anew);
          const expiresAt = new Date(Date.now() + request.lifetimeMilliseconds);
          expect(await store.reserveAnew({ ...request, startedAt, expiresAt })).toBe(model.reserveAnew(request));
        } else if (verb === 'renew') {
          expect((await store.renew(call)).outcome).toBe(model.renew(request));
        } else if (verb === 'count') {
          expect((await store.countLicenseRequest(call)).outcome).toBe(model.countLicenseRequest(request));
        } else if (verb === 'publish') {
          await publishViewer(client, request, viewer);
          model.viewer = viewer;
        } else if (verb === 'sweep') {
          await expired.sweepEnvironment({ environmentId: subject.environmentId, bucket }, buckets);
          model.sweep();
        } else if (verb === 'expire' && model.viewer === null) {
          shortSessions += 1;
          const short = {
            ...newRequest(),
            ...subject,
            sessionId: `short-session-${shortSessions}`,
            lifetimeMilliseconds: 1,
          };
          const { expiresAt } = expectOutcome(await store.reserve(short), 'reserved');
          model.reserve(short);
          await untilRedisTime(client, new Date(expiresAt.getTime() + 1));
          model.expire(short.sessionId);
        }

        expect((await store.find(request)).state).toBe(model.find(request));
        if (request.replacesSessionId !== null) {
          const replaced = { ...request, sessionId: request.replacesSessionId };
          expect((await store.find(replaced)).state).toBe(model.find(replaced));
        }
        const { records, active } = await subjectState(client, subject);
        expect(records).toEqual([...model.slots].sort());
        const page = await store.listSubject(subject.environmentId, subject.subject, { limit: 1000 });
        expect(page.sessions.map(({ sessionId }) => sessionId)).toEqual(model.activeSessions());
        expect(active).toEqual(records);
        expect(await store.countOf(subject.environmentId, subject.subject)).toBe(model.activeSessions().length);
      }
    };
    await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60 }), play), { numRuns: 30 });
  });
});
