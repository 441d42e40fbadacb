import type { SubjectBuckets } from '@multi-drm/contracts';
import type { ClientBase } from 'pg';
import type { BoundedPool } from '../database/connection-pool';
import { inTransaction } from '../database/pool-transaction';
import { withoutErasedSubjects } from './erased-subjects';
import { storingMilliseconds as longestStoring } from './event-pool';
import { KnownEnvironments } from './known-environments';
import { withSandboxMarks } from './mark-sandbox-events';
import { type Entry, type ParsedEntry, readEntry, type SetAsideReason } from './parsed-entries';
import { PartitionsInUse } from './partitions-in-use';
import { type Refused, refusalOf, setAside } from './set-aside';
import { storeRequestEvents } from './store-request-events';
import { storeSlotEvents } from './store-slot-events';

/** What was stored of some entries. */
export interface Stored {
  /** How many events are new. */
  events: number;
  /** How many entries were set aside. */
  setAside: number;
  /** The environments in which sessions have started or resumed. */
  startedIn: string[];
}

/** The class of the advisory locks of portions. */
const lockClass = 1_702_259_571;

/** Stores entries of lists in PostgreSQL. Storing entries again changes nothing. */
export class EntryStore {
  private readonly environments = new KnownEnvironments();
  private readonly partitions = new PartitionsInUse();

  constructor(
    private readonly pool: BoundedPool,
    private readonly readBuckets: () => Promise<SubjectBuckets>,
    private readonly storingMilliseconds = longestStoring,
  ) {}

  /**
   * Stores the entries of a portion of lists, in the order of each list, or sets them aside with the reason; null if another reader
   * is storing entries of this portion. Afterwards all of them may be removed from their lists. Rejects if the database is unavailable.
   */
  async store(portion: number, entries: readonly Entry[]): Promise<Stored | null> {
    try {
      return await this.inPortion(portion, (client) => this.storeTogether(client, entries));
    } catch (error) {
      const reason = refusalOf(error);
      if (reason === undefined) throw error;
      return this.storeInHalves(portion, entries, reason);
    }
  }

  /** Finds the entries that the database refuses. */
  private async storeInHalves(
    portion: number,
    entries: readonly Entry[],
    reason: SetAsideReason,
  ): Promise<Stored | null> {
    const [entry] = entries;
    if (entries.length === 1 && entry !== undefined) {
      return this.inPortion(portion, async (client) => ({
        events: 0,
        setAside: await setAside(client, [{ entry, reason }]),
        startedIn: [],
      }));
    }
    const middle = Math.ceil(entries.length / 2);
    const first = await this.store(portion, entries.slice(0, middle));
    const second = await this.store(portion, entries.slice(middle));
    if (first === null || second === null) return null;
    return {
      events: first.events + second.events,
      setAside: first.setAside + second.setAside,
      startedIn: [...first.startedIn, ...second.startedIn],
    };
  }

  private async inPortion(portion: number, work: (client: ClientBase) => Promise<Stored>): Promise<Stored | null> {
    const storing = async (client: ClientBase) => {
      const lock = 'SELECT pg_try_advisory_xact_lock($1, $2) AS taken';
      const { rows } = await client.query<{ taken: boolean }>(lock, [lockClass, portion]);
      return rows[0]?.taken ? work(client) : null;
    };
    return inTransaction(this.pool, storing, { milliseconds: this.storingMilliseconds });
  }

  private async storeTogether(client: ClientBase, entries: readonly Entry[]): Promise<Stored> {
    const refused: Refused[] = [];
    const parsed: ParsedEntry[] = [];
    for (const entry of entries) {
      const read = readEntry(entry);
      if (typeof read === 'string') refused.push({ entry, reason: read });
      else parsed.push(read);
    }
    const days = await this.partitions.including(
      client,
      parsed.flatMap((entry) => entry.days),
    );
    const environments = await this.environments.among(
      client,
      parsed.flatMap((entry) => entry.environmentIds),
    );
    const known = parsed.filter((each) => {
      const reason = reasonAgainst(each, days, environments);
      if (reason !== undefined) refused.push({ entry: each.entry, reason });
      return reason === undefined;
    });
    const storable = withSandboxMarks(await withoutErasedSubjects(client, this.readBuckets, known), environments);
    const slots = await storeSlotEvents(
      client,
      storable.flatMap(({ slot }) => slot ?? []),
    );
    const requests = await storeRequestEvents(client, storable);
    const startedIn = storable.flatMap(({ slot }) => (slot && slot.kind !== 'ended' ? [slot.environmentId] : []));
    return { events: slots + requests, setAside: await setAside(client, refused), startedIn: [...new Set(startedIn)] };
  }
}

function reasonAgainst(
  { days, environmentIds }: ParsedEntry,
  present: ReadonlySet<string>,
  environments: ReadonlyMap<string, unknown>,
): SetAsideReason | undefined {
  if (!days.every((day) => present.has(day))) return 'outside-partitions';
  if (!environmentIds.every((id) => environments.has(id))) return 'unknown-environment';
  return undefined;
}
