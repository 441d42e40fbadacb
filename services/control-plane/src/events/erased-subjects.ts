import type { SubjectBuckets } from '@multi-drm/contracts';
import type { RequestEvent, SlotEvent } from '@multi-drm/slots';
import type { ClientBase } from 'pg';
import { rowsAs } from './bulk-rows';
import type { ParsedEntry } from './parsed-entries';
import { keyOf } from './session-rows';

/**
 * How long after an erasure the events of the viewer still belong to it: playback hears of every change within ten seconds. Later events
 * are those of a new viewer with the same subject.
 */
export const erasureSpreadsSeconds = 10;

/** A viewer that an event names. */
interface SubjectMention {
  environmentId: string;
  subject: string;
  /** Milliseconds since 1970: the start of its session, or if that is not stored, when it happened. */
  since: number;
}

/** The class of the advisory lock of transactions that store events of erased viewers. */
const lockClass = 1_702_064_993;

interface ErasureRow {
  /** Of the viewer in its environment. */
  name: string;
  erasureId: string;
  /** Of sessions that started until then, by the clock of Redis. */
  until: Date;
}

/**
 * Returns entries in which the subjects of erased viewers are replaced, each by the id of its erasure. The sessions
 * end after the erasure, and a player whose session has ended may still ask for licenses: it still has a license token.
 */
export async function withoutErasedSubjects(
  client: ClientBase,
  readBuckets: () => Promise<SubjectBuckets>,
  entries: readonly ParsedEntry[],
): Promise<readonly ParsedEntry[]> {
  if (entries.length === 0) return entries;
  const { rows } = await client.query<{ some: boolean }>('SELECT EXISTS (SELECT FROM erased_subject) AS some');
  if (!rows[0]?.some) return entries;
  const erased = await ErasedViewers.read(client, await readBuckets(), entries);
  if (!erased.hasAny) return entries;
  // A session and what its player asks for may be stored at the same time: whichever comes second finds the other.
  await client.query('SELECT pg_advisory_xact_lock($1, 0)', [lockClass]);
  const requests = entries.flatMap((entry) => entry.requests.filter((request) => erased.knows(request)));
  const starts = await readStarts(client, requests, erased.ids);
  const anonymous = entries.map((entry) => withoutSubjects(entry, erased, starts));
  await replaceInStored(client, entries, anonymous);
  return anonymous;
}

/** The erased viewers that entries name. */
class ErasedViewers {
  private constructor(
    private readonly buckets: SubjectBuckets,
    private readonly erasures: ReadonlyMap<string, ErasureRow[]>,
  ) {}

  static async read(
    client: ClientBase,
    buckets: SubjectBuckets,
    entries: readonly ParsedEntry[],
  ): Promise<ErasedViewers> {
    const events = entries.flatMap(({ slot, requests }) => [...(slot === null ? [] : [slot]), ...requests]);
    const viewers = events.flatMap(({ environmentId, subject }) =>
      subject === null ? [] : { environmentId, subject },
    );
    const { rows } = await client.query<ErasureRow>(
      `SELECT environment_id || ':' || subject_hash AS name, erasure_id::text AS "erasureId",
         COALESCE(sessions_until, erased_at + interval '${erasureSpreadsSeconds} seconds') AS "until"
       FROM erased_subject
       WHERE (environment_id, subject_hash) IN (SELECT * FROM unnest($1::uuid[], $2::text[])) ORDER BY erased_at`,
      [
        viewers.map(({ environmentId }) => environmentId),
        viewers.map(({ environmentId, subject }) => buckets.hashOf(environmentId, subject)),
      ],
    );
    const erasures = new Map<string, ErasureRow[]>();
    for (const row of rows) erasures.set(row.name, [...(erasures.get(row.name) ?? []), row]);
    return new ErasedViewers(buckets, erasures);
  }

  get hasAny(): boolean {
    return this.erasures.size > 0;
  }

  get ids(): string[] {
    return [...this.erasures.values()].flat().map(({ erasureId }) => erasureId);
  }

  /** Whether a viewer with this subject was erased, even if another viewer has the subject now. */
  knows({ environmentId, subject }: Pick<RequestEvent, 'environmentId' | 'subject'>): boolean {
    return subject !== null && this.erasuresOf({ environmentId, subject }).length > 0;
  }

  /** Returns the id that replaces the subject; undefined if the subject is not that of an erased viewer. */
  find(mention: SubjectMention): string | undefined {
    return this.erasuresOf(mention).find(({ until }) => mention.since <= until.getTime())?.erasureId;
  }

  private erasuresOf({ environmentId, subject }: Pick<SubjectMention, 'environmentId' | 'subject'>): ErasureRow[] {
    return this.erasures.get(`${environmentId}:${this.buckets.hashOf(environmentId, subject)}`) ?? [];
  }
}

/** Returns when the session of a request has started, in milliseconds since 1970; undefined if it is not stored. */
type FindStart = (request: RequestEvent) => number | undefined;

/**
 * Reads the starts of the sessions of requests. Of several sessions with the same id, the first one counts. `erasureIds`: the subjects of
 * those that are anonymous already.
 */
async function readStarts(
  client: ClientBase,
  requests: readonly RequestEvent[],
  erasureIds: readonly string[],
): Promise<FindStart> {
  const sessionRequests = requests.filter(({ sessionId }) => sessionId !== null);
  if (sessionRequests.length === 0) return () => undefined;
  const nameOf = ({ environmentId, subject, sessionId, reservationId }: RequestEvent) =>
    JSON.stringify([environmentId, subject, sessionId, reservationId]);
  const { table, values } = rowsAs<RequestEvent>(
    'given',
    [
      { name: 'name', type: 'text', value: nameOf },
      { name: 'environment_id', type: 'uuid', value: ({ environmentId }) => environmentId },
      { name: 'subject', type: 'text', value: ({ subject }) => subject },
      { name: 'session_id', type: 'text', value: ({ sessionId }) => sessionId },
      { name: 'reservation_id', type: 'uuid', value: ({ reservationId }) => reservationId },
    ],
    sessionRequests,
  );
  const { rows } = await client.query<{ name: string; startedAt: Date }>(
    `SELECT given.name, min(session.started_at) AS "startedAt"
     FROM ${table} JOIN session USING (environment_id, session_id)
     WHERE (given.reservation_id IS NULL OR session.reservation_id = given.reservation_id)
       AND (session.subject = given.subject OR session.subject = ANY($6::text[]))
     GROUP BY given.name`,
    [...values, erasureIds],
  );
  const starts = new Map(rows.map(({ name, startedAt }) => [name, startedAt.getTime()]));
  return (request) => starts.get(nameOf(request));
}

function withoutSubjects(entry: ParsedEntry, erased: ErasedViewers, startOf: FindStart): ParsedEntry {
  const { slot } = entry;
  const id = slot === null ? undefined : erased.find({ ...slot, since: slot.startedAt / 1000 });
  return {
    ...entry,
    slot:
      slot === null || id === undefined
        ? slot
        : { ...slot, subject: id, details: { ...slot.details, reporting: null } },
    requests: entry.requests.map((request) => {
      const { environmentId, subject, at } = request;
      if (subject === null) return request;
      const since = startOf(request) ?? at;
      return { ...request, subject: erased.find({ environmentId, subject, since }) ?? subject };
    }),
  };
}

/** Replaces the subject in what is stored of requests of these sessions, which was reported before their starts. */
async function replaceInStored(
  client: ClientBase,
  entries: readonly ParsedEntry[],
  anonymous: readonly ParsedEntry[],
): Promise<void> {
  const replaced = entries.flatMap(({ slot }, index) => {
    const id = anonymous[index]?.slot?.subject;
    return slot === null || id === undefined || id === slot.subject ? [] : [{ ...slot, id }];
  });
  if (replaced.length === 0) return;
  const { table, values } = rowsAs<SlotEvent & { id: string }>(
    'given',
    [
      { name: 'environment_id', type: 'uuid', value: ({ environmentId }) => environmentId },
      { name: 'subject', type: 'text', value: ({ subject }) => subject },
      { name: 'session_id', type: 'text', value: ({ sessionId }) => sessionId },
      { name: 'reservation_id', type: 'uuid', value: ({ reservationId }) => reservationId },
      { name: 'id', type: 'text', value: ({ id }) => id },
    ],
    replaced,
  );
  const first = Math.min(...replaced.map(({ startedAt }) => startedAt));
  await client.query(
    `UPDATE event SET subject = given.id FROM ${table}
     WHERE event.scope_id = given.environment_id AND event.subject = given.subject AND event.session_id = given.session_id
       AND (event.reservation_id IS NULL OR event.reservation_id = given.reservation_id) AND event.time >= $6::timestamptz`,
    [...values, keyOf(first)],
  );
}
