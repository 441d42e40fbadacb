import type { SubjectBuckets } from '@multi-drm/contracts';
import type { ClientBase } from 'pg';
import type { ToldEntry } from './told-entries';

/**
 * How long after an erasure what is told of the viewer still belongs to it, in milliseconds: playback hears of every change within ten
 * seconds. What comes later is of a new viewer with the same subject.
 */
export const erasureSpreadsMilliseconds = 10_000;

/** What an event says of a viewer. */
interface Told {
  environmentId: string;
  subject: string;
  /** Milliseconds since 1970: of a session, its start. */
  since: number;
}

/** Returns the id that replaces the subject; undefined if the viewer was not erased. */
type FindErasure = (told: Told) => string | undefined;

/** Returns entries in which the subjects of erased viewers are replaced, each by the id of its erasure. Ends are told later than that. */
export async function withoutErasedSubjects(
  client: ClientBase,
  readBuckets: () => Promise<SubjectBuckets>,
  entries: readonly ToldEntry[],
): Promise<readonly ToldEntry[]> {
  if (entries.length === 0) return entries;
  const { rows } = await client.query<{ some: boolean }>('SELECT EXISTS (SELECT FROM erased_subject) AS some');
  if (!rows[0]?.some) return entries;
  const buckets = await readBuckets();
  const find = await readErasures(client, buckets, entries.flatMap(toldIn));
  return entries.map((entry) => anonymous(entry, find));
}

function toldIn({ slot, requests }: ToldEntry): Told[] {
  const ofSlot = slot === null ? [] : [toldOfSlot(slot)];
  return [...ofSlot, ...requests.flatMap((request) => toldOfRequest(request) ?? [])];
}

const toldOfSlot = ({ environmentId, subject, startedAt }: NonNullable<ToldEntry['slot']>): Told => ({
  environmentId,
  subject,
  since: startedAt / 1000,
});

const toldOfRequest = ({ environmentId, subject, at }: ToldEntry['requests'][number]): Told | undefined =>
  subject === null ? undefined : { environmentId, subject, since: at };

async function readErasures(client: ClientBase, buckets: SubjectBuckets, told: readonly Told[]): Promise<FindErasure> {
  const hashes = told.map(({ environmentId, subject }) => buckets.hashOf(environmentId, subject));
  const { rows } = await client.query<{ name: string; erasureId: string; erasedAt: Date }>(
    `SELECT environment_id || ':' || subject_hash AS name, erasure_id::text AS "erasureId", erased_at AS "erasedAt"
     FROM erased_subject
     WHERE (environment_id, subject_hash) IN (SELECT * FROM unnest($1::uuid[], $2::text[])) ORDER BY erased_at`,
    [told.map(({ environmentId }) => environmentId), hashes],
  );
  const erasures = new Map<string, typeof rows>();
  for (const row of rows) erasures.set(row.name, [...(erasures.get(row.name) ?? []), row]);
  return ({ environmentId, subject, since }) => {
    if (rows.length === 0) return undefined;
    const ofSubject = erasures.get(`${environmentId}:${buckets.hashOf(environmentId, subject)}`);
    return ofSubject?.find(({ erasedAt }) => since <= erasedAt.getTime() + erasureSpreadsMilliseconds)?.erasureId;
  };
}

function anonymous(entry: ToldEntry, find: FindErasure): ToldEntry {
  const { slot } = entry;
  const subject = slot === null ? undefined : find(toldOfSlot(slot));
  return {
    ...entry,
    slot:
      slot === null || subject === undefined
        ? slot
        : { ...slot, subject, details: { ...slot.details, reporting: null } },
    requests: entry.requests.map((request) => {
      const told = toldOfRequest(request);
      return { ...request, subject: (told && find(told)) ?? request.subject };
    }),
  };
}
