import type { Redis } from 'ioredis';
import type { ReserveRequest } from './slot-store';
import { connect, expectOutcome, newRequest, storeOn, subjectState, untilRedisTime } from './testing/test-store';

let client: Redis;
beforeAll(() => {
  client = connect();
});
afterAll(() => client.quit());

interface ModelSession {
  state: 'reserved' | 'expired' | 'released';
  reservationId: string;
  requestHash: string;
  repeated: boolean;
}

/** What the store must answer and keep for one subject, written down once more without Redis. */
class Model {
  private readonly sessions = new Map<string, ModelSession>();
  /** Slots in Redis: those of live sessions, and expired ones that nobody has dropped yet. */
  private readonly slots = new Set<string>();

  private isLive(sessionId: string): boolean {
    return this.sessions.get(sessionId)?.state === 'reserved';
  }

  /** The keys of a subject without live sessions are gone, whatever had been in them. */
  keptSlots(): string[] {
    if (![...this.slots].some((id) => this.isLive(id))) this.slots.clear();
    return [...this.slots].sort();
  }

  reserve({ sessionId, reservationId, requestHash, limit }: ReserveRequest): string {
    const session = this.sessions.get(sessionId);
    if (session !== undefined) {
      if (session.state !== 'reserved' || session.requestHash !== requestHash) return 'session_id_reused';
      if (session.reservationId === reservationId) return 'reserved';
      session.repeated = true;
      return 'repeated';
    }
    for (const id of this.slots) if (!this.isLive(id)) this.slots.delete(id);
    if (limit !== null && this.slots.size >= limit) return 'limit_reached';
    this.slots.add(sessionId);
    this.sessions.set(sessionId, { state: 'reserved', reservationId, requestHash, repeated: false });
    return 'reserved';
  }

  release({ sessionId, reservationId, requestHash }: ReserveRequest): string {
    const session = this.sessions.get(sessionId);
    if (session !== undefined && (session.state !== 'reserved' || session.reservationId !== reservationId)) {
      return 'unchanged';
    }
    this.slots.delete(sessionId);
    this.sessions.set(sessionId, { state: 'released', reservationId, requestHash, repeated: false });
    return 'released';
  }

  undo({ sessionId, reservationId }: ReserveRequest): void {
    const session = this.sessions.get(sessionId);
    if (session?.state !== 'reserved' || session.reservationId !== reservationId || session.repeated) return;
    this.slots.delete(sessionId);
    this.sessions.delete(sessionId);
  }

  expire(sessionId: string): void {
    const session = this.sessions.get(sessionId);
    if (session !== undefined) session.state = 'expired';
  }
}

/** Gives numbers from 0 below `bound`, the same sequence for the same seed (a linear congruential generator). */
function chooser(seed: number): (bound: number) => number {
  let state = seed;
  return (bound) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
}

describe('the slot store', () => {
  const seeds = Array.from({ length: 20 }, (_, seed) => seed);

  it.each(seeds)('answers by the rules and keeps its keys in step, whatever comes (seed %i)', async (seed) => {
    const choose = chooser(seed);
    const store = storeOn(client);
    const model = new Model();
    const subject = newRequest();
    for (let step = 0; step < 60; step += 1) {
      const request: ReserveRequest = {
        ...subject,
        sessionId: `session-number-${choose(12)}`,
        reservationId: `reservation-${choose(3)}`,
        requestHash: choose(8) === 0 ? 'another' : 'usual',
        limit: [null, 0, 1, 2, 3][choose(5)] ?? null,
        lifetimeMilliseconds: 60_000 + choose(1000) * 1000,
      };
      const action = choose(7);
      if (action < 4) {
        const { outcome } = await store.reserve(request);
        expect({ step, outcome }).toEqual({ step, outcome: model.reserve(request) });
      } else if (action === 4) {
        const outcome = await store.release(request);
        expect({ step, outcome }).toEqual({ step, outcome: model.release(request) });
      } else if (action === 5) {
        await store.undo(request);
        model.undo(request);
      } else {
        const short = { ...request, sessionId: `short-session-${step}`, limit: null, lifetimeMilliseconds: 1 };
        const { expiresAt } = expectOutcome(await store.reserve(short), 'reserved');
        model.reserve(short);
        await untilRedisTime(client, new Date(expiresAt.getTime() + 1));
        model.expire(short.sessionId);
      }

      const sessionIds = model.keptSlots();
      const state = await subjectState(client, subject);
      expect({ step, ...state.sessionIds }).toEqual({
        step,
        expiries: sessionIds,
        starts: sessionIds,
        details: sessionIds,
      });
      expect(new Set(Object.values(state.goneAt))).toEqual(new Set([state.lastExpiry]));
    }
  });
});
