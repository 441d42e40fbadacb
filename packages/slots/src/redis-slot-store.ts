import { isRedisFull } from '@multi-drm/service-kit';
import type { Cluster, Redis } from 'ioredis';
import type { CurrentBuckets } from './current-buckets';
import { EnvironmentList } from './environment-list';
import { requireInteger } from './integers';
import { packDetails } from './packed-details';
import type { RedisClock } from './redis-clock';
import { meaningOf } from './return-codes';
import {
  readFindReply,
  readLicenseCallReply,
  readRenewReply,
  readReserveReply,
  readRestoreReply,
} from './script-replies';
import { defineSlotCommands, keysFor } from './slot-commands';
import {
  type ActiveSessionPage,
  type FoundSession,
  type LicenseCall,
  type LicenseCallResult,
  longestSessionMilliseconds,
  type PageRequest,
  type PlacedReservation,
  type RenewRequest,
  type RenewResult,
  type ReserveRequest,
  type ReserveResult,
  type RestoreRequest,
  type RestoreResult,
  type SessionReference,
  type SlotStore,
} from './slot-store';
import { SubjectList } from './subject-list';

export interface SlotStoreOptions {
  /** How long after the start an equal request counts as a repeat. */
  idempotentRepeatSeconds: number;
  /** How long an id is remembered after its end. At least as long as the longest session, or an id could be used twice. */
  sessionIdRetentionSeconds: number;
  /** Learns the times in replies, and passes them to the environment's list. */
  clock?: RedisClock;
  buckets: CurrentBuckets;
  /** How many bytes the list of events of one bucket may take now; 0: starts and ends are not appended. */
  eventBytes: () => number;
}

/** How long a reservation that was undone before it arrived is remembered: networks deliver late by minutes at most. */
const undoneSpanMilliseconds = 15 * 60_000;

// Longer than any duration that is needed, and short enough that sums of durations and times are exact integers and valid dates.
const longestMilliseconds = 2 ** 50;

/** The largest page of a list; no subject has more active sessions. */
export const largestPage = 1000;

/** Keeps the slots in Redis. The rules are in scripts/, one file per verb. */
export class RedisSlotStore implements SlotStore {
  private readonly repeatWindowMilliseconds: number;
  private readonly retentionMilliseconds: number;
  private readonly environmentList: EnvironmentList;
  private readonly subjectList: SubjectList;
  private readonly clock: RedisClock | undefined;
  private readonly buckets: CurrentBuckets;
  private readonly eventBytes: () => number;

  /** Throws a RangeError for options that are not integers in range. */
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
    this.environmentList = new EnvironmentList(client, options.clock, options.buckets);
    this.subjectList = new SubjectList(client, options.buckets);
    this.clock = options.clock;
    this.buckets = options.buckets;
    this.eventBytes = options.eventBytes;
    defineSlotCommands(client);
  }

  /** Throws a RangeError for a limit or lifetime that is not an integer in range. */
  async reserve(request: ReserveRequest): Promise<ReserveResult> {
    const { limit, limitCeiling, replacesSessionId, lifetimeMilliseconds } = request;
    requireSpan('lifetimeMilliseconds', lifetimeMilliseconds);
    // A session cannot replace itself.
    const replaced = replacesSessionId === request.sessionId ? null : replacesSessionId;
    const call = [
      ...keysFor('reserve', request.buckets, request),
      request.sessionId,
      request.subject,
      request.reservationId,
      request.requestHash,
      optionalInteger('limit', limit, 0),
      optionalInteger('limitCeiling', limitCeiling, 0),
      request.atStreamLimit,
      request.organizationIsFull ? 1 : 0,
      replaced ?? '',
      lifetimeMilliseconds,
      this.repeatWindowMilliseconds,
      this.retentionMilliseconds,
      longestSessionMilliseconds,
      packDetails(request.details),
      request.grant,
      request.environmentId,
      request.startsAreUsedUp ? 1 : 0,
      this.eventBytes(),
    ] as const;
    const endedSessionIds: string[] = [];
    for (;;) {
      const learn = this.clock?.beginCall();
      const result = readReserveReply(await this.client.reserveSlotBuffer(...call));
      if ('serverTime' in result) learn?.(result.serverTime);
      if ('endedSessionIds' in result) endedSessionIds.push(...result.endedSessionIds);
      if (result.outcome === 'reserved') return { ...result, endedSessionIds };
      if (result.outcome !== 'unfinished') return result;
    }
  }

  /** Throws a RangeError for a limit or lifetime that is not an integer in range. */
  async restore(request: RestoreRequest): Promise<RestoreResult> {
    const reply = await this.client.restoreSlot(
      ...keysFor('restore', request.buckets, request),
      request.sessionId,
      request.subject,
      request.reservationId,
      request.startedAt.getTime() * 1000,
      request.expiresAt.getTime(),
      optionalInteger('limit', request.limit, 0),
      request.organizationIsFull ? 1 : 0,
      packDetails(request.details),
      request.grant,
      request.environmentId,
      requireSpan('lifetimeMilliseconds', request.lifetimeMilliseconds),
      this.eventBytes(),
    );
    return readRestoreReply(reply);
  }

  async find(session: SessionReference): Promise<FoundSession> {
    const keys = keysFor('find', await this.buckets(), session);
    const learn = this.clock?.beginCall();
    const call = [...keys, session.sessionId, this.retentionMilliseconds] as const;
    const found = readFindReply(await this.client.findSlotBuffer(...call));
    learn?.(found.serverTime);
    return found;
  }

  /** Throws a RangeError for a duration or number of calls that is not an integer in range. */
  async renew(request: RenewRequest): Promise<RenewResult> {
    const { lifetimeMilliseconds, maximumSessionMilliseconds, callsPerMinute } = request;
    const keys = keysFor('renew', await this.buckets(), request);
    const learn = this.clock?.beginCall();
    const reply = await this.client.renewSlotBuffer(
      ...keys,
      request.sessionId,
      request.subject,
      request.reservationId,
      requireSpan('lifetimeMilliseconds', lifetimeMilliseconds),
      requireSpan('maximumSessionMilliseconds', maximumSessionMilliseconds),
      optionalInteger('callsPerMinute', callsPerMinute, 1),
      this.retentionMilliseconds,
    );
    const result = readRenewReply(reply);
    if ('serverTime' in result) learn?.(result.serverTime);
    return result;
  }

  /** Throws a RangeError for a number of calls that is not an integer in range. */
  async countLicenseRequest(call: LicenseCall): Promise<LicenseCallResult> {
    const keys = keysFor('count-license-request', await this.buckets(), call);
    const learn = this.clock?.beginCall();
    const reply = await this.client.countLicenseRequestOfSlotBuffer(
      ...keys,
      call.sessionId,
      call.reservationId,
      optionalInteger('callsPerMinute', call.callsPerMinute, 1),
      this.retentionMilliseconds,
    );
    const result = readLicenseCallReply(reply);
    if ('serverTime' in result) learn?.(result.serverTime);
    return result;
  }

  /** Throws a RangeError for an empty reservation id, which would match any reservation. */
  async release(
    session: SessionReference & { reservationId: string | null; reason: 'ended' | 'terminated' },
  ): Promise<'released' | 'unchanged' | 'unknown'> {
    if (session.reservationId === '') throw new RangeError('a reservation id must not be empty');
    const reply = await this.client.releaseSlot(
      ...keysFor('release', await this.buckets(), session),
      session.sessionId,
      session.subject,
      session.reservationId ?? '',
      session.reason === 'terminated' ? 'terminated' : 'released',
      this.retentionMilliseconds,
      session.environmentId,
      this.eventBytes(),
    );
    const outcome = meaningOf('release', reply);
    return outcome === 'released' || outcome === 'unknown' ? outcome : 'unchanged';
  }

  async remember(session: SessionReference, until: Date | null): Promise<'remembered' | 'known'> {
    const { sessionId } = session;
    const keys = keysFor('remember', await this.buckets(), session);
    const time = until?.getTime() ?? '';
    const reply = await this.client.rememberEndedSlot(...keys, sessionId, time, longestSessionMilliseconds);
    return meaningOf('remember', reply);
  }

  async undo(session: PlacedReservation): Promise<'undone' | 'unchanged'> {
    const outcome = await this.tryUndo(session);
    const mayStillArrive = outcome === 'unknown' || outcome === 'other_reservation';
    // The reservation may have arrived between the two scripts.
    const last = mayStillArrive && (await this.noteUndone(session)) === 'known' ? await this.tryUndo(session) : outcome;
    return last === 'undone' ? 'undone' : 'unchanged';
  }

  private async tryUndo(session: PlacedReservation) {
    const { buckets, environmentId, sessionId, subject, reservationId } = session;
    const keys = keysFor('undo', buckets, session);
    const reply = await this.client.undoSlot(
      ...keys,
      sessionId,
      subject,
      reservationId,
      environmentId,
      this.eventBytes(),
    );
    return meaningOf('undo', reply);
  }

  /** A full Redis cannot note the undo, but accepts no reservation either while it is full. */
  private async noteUndone(session: PlacedReservation) {
    const { buckets, sessionId, reservationId } = session;
    const call = [
      ...keysFor('note-undone', buckets, session),
      sessionId,
      reservationId,
      undoneSpanMilliseconds,
    ] as const;
    try {
      return meaningOf('note-undone', await this.client.noteUndoneSlot(...call));
    } catch (error) {
      if (isRedisFull(error)) return 'not_noted';
      throw error;
    }
  }

  async countOf(environmentId: string, subject: string): Promise<number> {
    return this.subjectList.count(environmentId, subject);
  }

  /** Throws InvalidCursor, or a RangeError for a page size out of range. */
  async listSubject(environmentId: string, subject: string, page: PageRequest): Promise<ActiveSessionPage> {
    requireInteger('limit', page.limit, 1, largestPage);
    return this.subjectList.page(environmentId, subject, page);
  }

  /** Throws InvalidCursor, or a RangeError for a page size out of range. */
  async listEnvironment(environmentId: string, page: PageRequest): Promise<ActiveSessionPage> {
    requireInteger('limit', page.limit, 1, largestPage);
    return this.environmentList.listEnvironment(environmentId, page);
  }
}

function requireSpan(name: string, milliseconds: number): number {
  return requireInteger(name, milliseconds, 1, longestMilliseconds);
}

function optionalInteger(name: string, value: number | null, minimum: number): number | '' {
  return value === null ? '' : requireInteger(name, value, minimum, Number.MAX_SAFE_INTEGER);
}
