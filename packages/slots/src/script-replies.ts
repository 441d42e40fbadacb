import { readDetails } from './packed-details';
import { ReplyReader } from './reply-reader';
import { meaningOf, UnexpectedReply, type Verb } from './return-codes';
import type {
  ActiveSession,
  FoundSession,
  LicenseCallResult,
  RenewResult,
  Reservation,
  ReserveResult,
  RestoreResult,
} from './slot-store';

function readReservation(reply: ReplyReader): Reservation {
  return {
    reservationId: reply.text(),
    startedAt: reply.microseconds(),
    expiresAt: reply.milliseconds(),
    serverTime: reply.milliseconds(),
    limit: reply.limit(),
  };
}

function readActiveSession(reply: ReplyReader): ActiveSession {
  return reply.list((session) => {
    const sessionId = session.text();
    const [startedAt, expiresAt] = [session.microseconds(), session.milliseconds()];
    const { contentId, applicationId, clientPlatform } = readDetails(session.bytes());
    return { sessionId, contentId, applicationId, clientPlatform, startedAt, expiresAt };
  });
}

const readSessionIds = (reply: ReplyReader): string[] => reply.list((ids) => ids.rest((one) => one.text()));

/** Reads a reply, which begins with a return code. Throws UnexpectedReply unless `read` reads all values and no more. */
function readReply<V extends Verb, R>(
  verb: V,
  reply: unknown,
  read: (outcome: ReturnType<typeof meaningOf<V>>, reply: ReplyReader) => R,
): R {
  try {
    const reader = new ReplyReader(reply);
    const result = read(meaningOf(verb, reader.integer()), reader);
    reader.requireEnd();
    return result;
  } catch (cause) {
    throw new UnexpectedReply(verb, { cause });
  }
}

/**
 * Parses the reply of scripts/reserve.lua; throws UnexpectedReply if it does not match the script's header. `unfinished`: the script
 * must be called again; `endedSessionIds`: the sessions that it has evicted so far.
 */
export function readReserveReply(reply: unknown): ReserveResult | { outcome: 'unfinished'; endedSessionIds: string[] } {
  return readReply('reserve', reply, (outcome, values) => {
    switch (outcome) {
      case 'reserved':
        return { outcome, ...readReservation(values), endedSessionIds: readSessionIds(values) };
      case 'repeated':
        return { outcome, ...readReservation(values), grant: values.bytes() };
      case 'limit_reached':
        return { outcome, limit: values.integerAsText(), activeSessions: values.rest(readActiveSession) };
      case 'unfinished':
        return { outcome, endedSessionIds: readSessionIds(values) };
      case 'session_id_reused':
        return { outcome, byAnotherRequest: values.integer() === 1 };
      default:
        return { outcome };
    }
  });
}

/** Parses the reply of scripts/restore.lua; throws UnexpectedReply if it does not match the script's header. */
export function readRestoreReply(reply: unknown): RestoreResult {
  return readReply('restore', reply, (outcome) => outcome);
}

/** Parses the reply of scripts/find.lua; throws UnexpectedReply if it does not match the script's header. */
export function readFindReply(reply: unknown): FoundSession {
  return readReply('find', reply, (state, values) => {
    const serverTime = values.milliseconds();
    if (state !== 'reserved') return { state, serverTime };
    return {
      state,
      reservationId: values.text(),
      startedAt: values.microseconds(),
      expiresAt: values.milliseconds(),
      serverTime,
      limit: values.limit(),
      details: readDetails(values.bytes()),
      grant: values.bytes(),
    };
  });
}

/**
 * Parses the reply of scripts/list.lua; throws UnexpectedReply if it does not match the script's header. `count`: of all active
 * sessions. `startedAt`: microseconds since 1970.
 */
export function readListReply(reply: unknown) {
  return readReply('list', reply, (_outcome, values) => {
    const count = values.integer();
    const sessions = values.rest((reply) =>
      reply.list((session) => ({
        sessionId: session.text(),
        startedAt: session.integer(),
        expiresAt: session.milliseconds(),
        licenseRequests: session.integer(),
        details: readDetails(session.bytes()),
      })),
    );
    return { count, sessions };
  });
}

/** Parses the reply of scripts/renew.lua; throws UnexpectedReply if it does not match the script's header. */
export function readRenewReply(reply: unknown): RenewResult {
  return readReply('renew', reply, (outcome, values) => {
    switch (outcome) {
      case 'renewed':
        return { outcome, ...readReservation(values) };
      case 'rate_limited':
        return { outcome, retryAfterSeconds: values.integer() };
      default:
        return { outcome };
    }
  });
}

/** Parses the reply of scripts/count-license-request.lua; throws UnexpectedReply if it does not match the script's header. */
export function readLicenseCallReply(reply: unknown): LicenseCallResult {
  return readReply('count-license-request', reply, (outcome, values) => {
    switch (outcome) {
      case 'counted':
        return {
          outcome,
          licenseRequests: values.integer(),
          startedAt: values.microseconds(),
          expiresAt: values.milliseconds(),
          serverTime: values.milliseconds(),
          grant: values.bytes(),
        };
      case 'rate_limited':
        return { outcome, retryAfterSeconds: values.integer() };
      default:
        return { outcome };
    }
  });
}
