import type { Cluster, Redis } from 'ioredis';
import { slotKeys } from './keys';
import { readReserveReply } from './reserve-reply';
import { meaningOf } from './return-codes';
import { defineSlotCommands } from './slot-commands';
import type { ReservationReference, ReserveRequest, ReserveResult, SessionReference, SlotStore } from './slot-store';

export interface SlotStoreOptions {
  /** How long after the start an equal request is a repeat. */
  idempotentRepeatSeconds: number;
  /** How long an id is remembered past its end. */
  sessionIdRetentionSeconds: number;
}

// Large enough for everything, and small enough that sums of spans and times stay exact integers and valid dates.
const longestMilliseconds = 2 ** 50;

function requireInteger(name: string, value: number, minimum: number, maximum: number): number {
  if (Number.isInteger(value) && value >= minimum && value <= maximum) return value;
  throw new RangeError(`${name} must be an integer from ${minimum} to ${maximum}`);
}

/** Keeps the slots in Redis; the rules are in scripts/, one file a verb. */
export class RedisSlotStore implements SlotStore {
  private readonly repeatWindowMilliseconds: number;
  private readonly retentionMilliseconds: number;

  /** Throws a RangeError for options that are not whole seconds. */
  constructor(
    private readonly client: Redis | Cluster,
    options: SlotStoreOptions,
  ) {
    const longestSeconds = Math.floor(longestMilliseconds / 1000);
    const { idempotentRepeatSeconds, sessionIdRetentionSeconds } = options;
    this.repeatWindowMilliseconds =
      requireInteger('idempotentRepeatSeconds', idempotentRepeatSeconds, 0, longestSeconds) * 1000;
    this.retentionMilliseconds =
      requireInteger('sessionIdRetentionSeconds', sessionIdRetentionSeconds, 1, longestSeconds) * 1000;
    defineSlotCommands(client);
  }

  /** Throws a RangeError for a limit or lifetime that is no sensible integer. */
  async reserve(request: ReserveRequest): Promise<ReserveResult> {
    const { sessionId, reservationId, requestHash, limit, lifetimeMilliseconds } = request;
    if (limit !== null) requireInteger('limit', limit, 0, Number.MAX_SAFE_INTEGER);
    requireInteger('lifetimeMilliseconds', lifetimeMilliseconds, 1, longestMilliseconds);
    const { contentId, applicationId, clientPlatform } = request.details;
    const reply = await this.client.reserveSlot(
      ...keysOf(request),
      sessionId,
      reservationId,
      requestHash,
      limit ?? '',
      lifetimeMilliseconds,
      this.repeatWindowMilliseconds,
      this.retentionMilliseconds,
      JSON.stringify({ contentId, applicationId, clientPlatform }),
    );
    return readReserveReply(reply, limit);
  }

  async release(session: ReservationReference): Promise<'released' | 'unchanged'> {
    const { sessionId, reservationId } = session;
    const reply = await this.client.releaseSlot(
      ...keysOf(session),
      sessionId,
      reservationId,
      this.retentionMilliseconds,
    );
    const outcome = meaningOf('release', reply);
    return outcome === 'released' || outcome === 'remembered' ? 'released' : 'unchanged';
  }

  async undo(session: ReservationReference): Promise<void> {
    const reply = await this.client.undoSlot(...keysOf(session), session.sessionId, session.reservationId);
    meaningOf('undo', reply);
  }
}

function keysOf(session: SessionReference): [record: string, expiries: string, starts: string, details: string] {
  const keys = slotKeys(session.environmentId, session.subject, session.sessionId);
  return [keys.record, keys.expiries, keys.starts, keys.details];
}
