import { drmSystems } from '@multi-drm/contracts';
import { z } from 'zod';
import { pack, unpackEach } from '../message-pack';
import { contentTypes } from '../packed-details';

const kinds = ['session.refused', 'license.issued', 'license.refused'] as const;

const text = z.string().nullable();
const count = z.number().int().min(0);

/** The values of an event in their order. Kinds, types and systems are stored as places in lists, whose order must not change. */
const packedEvent = z.tuple([
  placeIn(kinds),
  z.string(),
  text,
  text,
  text,
  count,
  count.min(1),
  text,
  count.nullable(),
  count.nullable(),
  text,
  count.nullable(),
  count.nullable(),
  text,
  placeIn(contentTypes).nullable(),
  placeIn(drmSystems).nullable(),
  text,
  text,
]);

/** The version, a nonce, how many events are counted, the first and the last time, and the events. */
const packedEvents = z.tuple([z.literal(1), count, count, count, count, z.array(packedEvent)]);

function placeIn<const Values extends readonly string[]>(values: Values) {
  return z.number().transform((place, context): Values[number] => {
    const value = values[place];
    if (value !== undefined) return value;
    context.addIssue('not the place of a value');
    return z.NEVER;
  });
}

/** What became of a request, reported after its response; null for what is not known or does not apply. */
export interface RequestEvent {
  /** `session.refused`: a create or a renewal. The others: a license request. */
  kind: (typeof kinds)[number];
  environmentId: string;
  subject: string | null;
  sessionId: string | null;
  reservationId: string | null;
  /** When the first of them happened, in milliseconds since 1970 by the clock of Redis. */
  at: number;
  /** How many equal events it stands for, at least 1. */
  count: number;
  /** The problem of a refusal. */
  code: string | null;
  /** The stream limit that refused the session. */
  limit: number | null;
  /** How many active sessions the viewer had when the limit refused another. */
  activeSessions: number | null;
  /** The kind of license backend. */
  backend: string | null;
  /** The HTTP status with which the license server answered. */
  vendorStatus: number | null;
  /** How long the license server took. */
  milliseconds: number | null;
  contentId: string | null;
  contentType: (typeof contentTypes)[number] | null;
  drmSystem: (typeof drmSystems)[number] | null;
  applicationId: string | null;
  clientPlatform: string | null;
}

/** The optional members of an event, with their values if they are unknown. */
export const unknownMembers = {
  sessionId: null,
  reservationId: null,
  limit: null,
  activeSessions: null,
  backend: null,
  vendorStatus: null,
  milliseconds: null,
  contentId: null,
  contentType: null,
  drmSystem: null,
  applicationId: null,
  clientPlatform: null,
} as const satisfies Partial<RequestEvent>;

/**
 * Packs the events of one process and one moment as an entry of a list of request events. It begins with the values that
 * request-event-lists.ts needs when it drops an entry.
 *
 * @param nonce distinguishes the entry from an equal one of another process: a number below 2^53
 */
export function packRequestEvents(events: RequestEvent[], nonce = 0): Buffer {
  const counted = events.reduce((sum, event) => sum + event.count, 0);
  const times = [events.at(0)?.at ?? 0, events.at(-1)?.at ?? 0].map((at) => at * 1000);
  return Buffer.concat([1, nonce, counted, ...times, events.map(valuesOf)].map(pack));
}

function valuesOf(event: RequestEvent): (string | number | null)[] {
  return [
    kinds.indexOf(event.kind),
    event.environmentId,
    event.subject,
    event.sessionId,
    event.reservationId,
    event.at,
    event.count,
    event.code,
    event.limit,
    event.activeSessions,
    event.backend,
    event.vendorStatus,
    event.milliseconds,
    event.contentId,
    event.contentType === null ? null : contentTypes.indexOf(event.contentType),
    event.drmSystem === null ? null : drmSystems.indexOf(event.drmSystem),
    event.applicationId,
    event.clientPlatform,
  ];
}

/** Reads an entry of a list of request events. Throws an error for bytes of another form or version. */
export function readRequestEvents(entry: Uint8Array): RequestEvent[] {
  const events = packedEvents.parse(unpackEach(entry))[5];
  return events.map((values) => {
    const [kind, environmentId, subject, sessionId, reservationId, at, times, code, limit, activeSessions, ...others] =
      values;
    const [backend, vendorStatus, milliseconds, contentId, contentType, drmSystem, applicationId, clientPlatform] =
      others;
    return {
      kind,
      environmentId,
      subject,
      sessionId,
      reservationId,
      at,
      count: times,
      code,
      limit,
      activeSessions,
      backend,
      vendorStatus,
      milliseconds,
      contentId,
      contentType,
      drmSystem,
      applicationId,
      clientPlatform,
    };
  });
}
