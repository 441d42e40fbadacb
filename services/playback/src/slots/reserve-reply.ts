import { z } from 'zod';
import { meaningOf, UnexpectedReply } from './return-codes';
import type { ActiveSession, Reservation, ReserveResult } from './slot-store';

const milliseconds = z.int().transform((value) => new Date(value));
const microseconds = z.int().transform((value) => new Date(Math.floor(value / 1000)));

const reservation = z.tuple([z.string(), microseconds, milliseconds, milliseconds]).transform(
  ([reservationId, startedAt, expiresAt, serverTime]): Reservation => ({
    reservationId,
    startedAt,
    expiresAt,
    serverTime,
  }),
);

const details = z.object({
  contentId: z.string(),
  applicationId: z.string().optional(),
  clientPlatform: z.string().optional(),
});

const activeSession = z
  .tuple([z.string(), microseconds, milliseconds, z.string()])
  .transform(([sessionId, startedAt, expiresAt, json]): ActiveSession => {
    const { contentId, applicationId = null, clientPlatform = null } = details.parse(JSON.parse(json));
    return { sessionId, contentId, applicationId, clientPlatform, startedAt, expiresAt };
  });

function parse(reply: unknown, limit: number | null): ReserveResult {
  const [code, ...rest] = z.array(z.unknown()).parse(reply);
  const outcome = meaningOf('reserve', code);
  switch (outcome) {
    case 'reserved':
    case 'repeated':
      return { outcome, ...reservation.parse(rest) };
    case 'limit_reached':
      return { outcome, limit: z.int().parse(limit), activeSessions: z.array(activeSession).parse(rest) };
    case 'session_id_reused':
      return { outcome };
  }
}

/**
 * Reads the reply of scripts/reserve.lua; throws UnexpectedReply where it has not the form that the script's head gives.
 *
 * @param limit the limit that was asked for; null where there was none
 */
export function readReserveReply(reply: unknown, limit: number | null): ReserveResult {
  try {
    return parse(reply, limit);
  } catch (cause) {
    throw new UnexpectedReply('reserve', { cause });
  }
}
