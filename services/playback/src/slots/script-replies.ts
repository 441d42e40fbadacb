import { z } from 'zod';
import { meaningOf, UnexpectedReply, type Verb } from './return-codes';
import type {
  ActiveSession,
  ActiveSessionDetails,
  FoundSession,
  LicenseCallResult,
  RenewResult,
  Reservation,
  ReserveResult,
} from './slot-store';

const milliseconds = z.int().transform((value) => new Date(value));
const microseconds = z.int().transform((value) => new Date(Math.floor(value / 1000)));
const numberText = z.string().regex(/^\d+$/).transform(Number).pipe(z.int());
const limitText = z.union([z.literal('').transform(() => null), numberText]);

const reservation = z.tuple([z.string(), microseconds, milliseconds, milliseconds, limitText]).transform(
  ([reservationId, startedAt, expiresAt, serverTime, limit]): Reservation => ({
    reservationId,
    startedAt,
    expiresAt,
    serverTime,
    limit,
  }),
);

const details = z.object({
  contentId: z.string(),
  contentType: z.enum(['vod', 'live']),
  drmSystem: z.enum(['widevine', 'playready', 'fairplay', 'wiseplay']),
  applicationId: z.string().nullable().default(null),
  clientPlatform: z.string().nullable().default(null),
  attemptId: z.string().nullable().default(null),
  reporting: z.record(z.string(), z.unknown()).nullable().default(null),
});

/** Parses the stored JSON of a session's details; throws for any other text. */
export function readDetails(json: string): Omit<ActiveSessionDetails, keyof Times> {
  return details.parse(JSON.parse(json));
}
type Times = Pick<ActiveSessionDetails, 'sessionId' | 'subject' | 'startedAt' | 'expiresAt' | 'licenseRequests'>;

const activeSession = z
  .tuple([z.string(), microseconds, milliseconds, z.string()])
  .transform(([sessionId, startedAt, expiresAt, json]): ActiveSession => {
    const { contentId, applicationId, clientPlatform } = readDetails(json);
    return { sessionId, contentId, applicationId, clientPlatform, startedAt, expiresAt };
  });

const endedSessions = z.array(z.string());
const limitReached = z.tuple([numberText]).rest(activeSession);
const unfinished = z.tuple([endedSessions]);
const reused = z.tuple([z.literal([0, 1])]);
const found = z.tuple([milliseconds, z.string(), microseconds, milliseconds, limitText, z.string()]);
const listed = z
  .tuple([z.union([z.literal('').transform(() => null), numberText])])
  .rest(
    z
      .tuple([z.string(), z.int(), milliseconds, z.string()])
      .transform(([sessionId, startedAt, expiresAt, details]) => ({ sessionId, startedAt, expiresAt, details })),
  );
const ended = z.tuple([milliseconds]);
const counted = z.tuple([z.int(), microseconds, milliseconds, milliseconds, z.string()]);
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
    const [serverTime, reservationId, startedAt, expiresAt, limit, grant] = found.parse(rest);
    return { state, reservationId, startedAt, expiresAt, serverTime, limit, grant };
  });
}

/**
 * Parses the reply of scripts/list.lua; throws UnexpectedReply if it does not match the script's header. `startedAt`, and `after`, where
 * the list continues, are in microseconds since 1970.
 */
export function readListReply(reply: unknown) {
  return readReply('list', reply, (_outcome, rest) => {
    const [after, ...slots] = listed.parse(rest);
    return { after, slots };
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
