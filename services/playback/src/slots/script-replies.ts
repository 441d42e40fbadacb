import { z } from 'zod';
import { readDetails } from './packed-details';
import { meaningOf, UnexpectedReply, type Verb } from './return-codes';
import type {
  ActiveSession,
  FoundSession,
  LicenseCallResult,
  RenewResult,
  Reservation,
  ReserveResult,
} from './slot-store';

const milliseconds = z.int().transform((value) => new Date(value));
const microseconds = z.int().transform((value) => new Date(Math.floor(value / 1000)));
const bytes = z.instanceof(Buffer);
const text = bytes.transform((value) => value.toString('utf8'));
const numberText = text.pipe(z.string().regex(/^\d+$/)).transform(Number).pipe(z.int());
const limitText = z.union([text.pipe(z.literal('')).transform(() => null), numberText]);

const reservation = z.tuple([text, microseconds, milliseconds, milliseconds, limitText]).transform(
  ([reservationId, startedAt, expiresAt, serverTime, limit]): Reservation => ({
    reservationId,
    startedAt,
    expiresAt,
    serverTime,
    limit,
  }),
);

const activeSession = z
  .tuple([text, microseconds, milliseconds, bytes])
  .transform(([sessionId, startedAt, expiresAt, packed]): ActiveSession => {
    const { contentId, applicationId, clientPlatform } = readDetails(packed);
    return { sessionId, contentId, applicationId, clientPlatform, startedAt, expiresAt };
  });

const endedSessions = z.array(text);
const limitReached = z.tuple([numberText]).rest(activeSession);
const unfinished = z.tuple([endedSessions]);
const reused = z.tuple([z.literal([0, 1])]);
const found = z.tuple([milliseconds, text, microseconds, milliseconds, limitText, bytes, bytes]);
const listed = z.tuple([z.int()]).rest(
  z.tuple([text, z.int(), milliseconds, z.int(), bytes]).transform(([sessionId, startedAt, expiresAt, ...rest]) => {
    const [licenseRequests, packed] = rest;
    return { sessionId, startedAt, expiresAt, licenseRequests, details: readDetails(packed) };
  }),
);
const ended = z.tuple([milliseconds]);
const counted = z.tuple([z.int(), microseconds, milliseconds, milliseconds, bytes]);
const rateLimited = z.tuple([z.int().positive()]);

/** Splits a reply into the meaning of its code and the rest; throws UnexpectedReply if `read` cannot parse it. */
function readReply<V extends Verb, R>(
  verb: V,
  reply: unknown,
  read: (outcome: ReturnType<typeof meaningOf<V>>, rest: unknown[]) => R,
): R {
  try {
    const [code, ...rest] = z.array(z.unknown()).parse(reply);
    return read(meaningOf(verb, code), rest);
  } catch (cause) {
    throw new UnexpectedReply(verb, { cause });
  }
}

/**
 * Parses the reply of scripts/reserve.lua; throws UnexpectedReply if it does not match the script's header. `unfinished`: the script
 * must be called again; `endedSessionIds`: the sessions that it has evicted so far.
 */
export function readReserveReply(reply: unknown): ReserveResult | { outcome: 'unfinished'; endedSessionIds: string[] } {
  return readReply('reserve', reply, (outcome, rest) => {
    switch (outcome) {
      case 'reserved': {
        const endedSessionIds = endedSessions.parse(rest.pop());
        return { outcome, endedSessionIds, ...reservation.parse(rest) };
      }
      case 'repeated':
        return { outcome, ...reservation.parse(rest) };
      case 'limit_reached': {
        const [limit, ...activeSessions] = limitReached.parse(rest);
        return { outcome, limit, activeSessions };
      }
      case 'unfinished':
        return { outcome, endedSessionIds: unfinished.parse(rest)[0] };
      case 'session_id_reused':
        return { outcome, byAnotherRequest: reused.parse(rest)[0] === 1 };
      default:
        return { outcome };
    }
  });
}

/** Parses the reply of scripts/find.lua; throws UnexpectedReply if it does not match the script's header. */
export function readFindReply(reply: unknown): FoundSession {
  return readReply('find', reply, (state, rest) => {
    if (state !== 'reserved') {
      const [serverTime] = ended.parse(rest);
      return { state, serverTime };
    }
    const [serverTime, reservationId, startedAt, expiresAt, limit, details, grant] = found.parse(rest);
    return { state, reservationId, startedAt, expiresAt, serverTime, limit, details: readDetails(details), grant };
  });
}

/**
 * Parses the reply of scripts/list.lua; throws UnexpectedReply if it does not match the script's header. `count`: of all active
 * sessions. `startedAt`: microseconds since 1970.
 */
export function readListReply(reply: unknown) {
  return readReply('list', reply, (_outcome, rest) => {
    const [count, ...sessions] = listed.parse(rest);
    return { count, sessions };
  });
}

/** Parses the reply of scripts/renew.lua; throws UnexpectedReply if it does not match the script's header. */
export function readRenewReply(reply: unknown): RenewResult {
  return readReply('renew', reply, (outcome, rest) => {
    switch (outcome) {
      case 'renewed':
        return { outcome, ...reservation.parse(rest) };
      case 'rate_limited':
        return { outcome, retryAfterSeconds: rateLimited.parse(rest)[0] };
      default:
        return { outcome };
    }
  });
}

/** Parses the reply of scripts/count-license-request.lua; throws UnexpectedReply if it does not match the script's header. */
export function readLicenseCallReply(reply: unknown): LicenseCallResult {
  return readReply('count-license-request', reply, (outcome, rest) => {
    switch (outcome) {
      case 'counted': {
        const [licenseRequests, startedAt, expiresAt, serverTime, grant] = counted.parse(rest);
        return { outcome, licenseRequests, startedAt, expiresAt, serverTime, grant };
      }
      case 'rate_limited':
        return { outcome, retryAfterSeconds: rateLimited.parse(rest)[0] };
      default:
        return { outcome };
    }
  });
}
