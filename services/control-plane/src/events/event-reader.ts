import type { Logger } from '@multi-drm/service-kit';
import { type EventList, eventListPortions, type UnreadEvents } from '@multi-drm/slots';
import type { EntryStore, Stored } from './entry-store';
import type { Entry } from './parsed-entries';
import { isOutage } from './part-of-round';
import { RepeatedWork } from './repeated-work';

/** How many entries one transaction stores, and how many bytes of them. */
const maximumEntries = 2_000;
const maximumBytes = 1024 * 1024;

interface EventReaderOptions {
  unread: Pick<UnreadEvents, 'lengths' | 'read' | 'remove'>;
  entries: Pick<EntryStore, 'store'>;
  logger: Logger;
  /** Other work of each round, which never rejects. The work after a round is done also if nothing can be stored. */
  beforeEachRound?: () => Promise<void>;
  afterEachRound?: () => Promise<void>;
  /** Called for each transaction that was committed. */
  onStored?: (stored: Stored) => void;
  pollMilliseconds?: number;
  /** A number from 0 up to 1. */
  random?: () => number;
}

/**
 * Moves events from Redis to PostgreSQL for as long as it runs. Any number of instances may run at the same time. An entry is removed from
 * its list once it is stored, and stored once, whatever fails meanwhile.
 */
export class EventReader {
  private readonly work: RepeatedWork;
  private readonly random: () => number;
  private stopped = false;
  /** Whether this round has stored anything. */
  private hasStored = false;

  constructor(private readonly options: EventReaderOptions) {
    const { logger, pollMilliseconds: milliseconds = 250, random = Math.random } = options;
    this.random = random;
    const work = () => this.round();
    this.work = new RepeatedWork({ name: 'storing events', work, milliseconds, outageLevel: 'warn', logger, random });
  }

  start(): void {
    this.work.start();
  }

  /** Resolves once the current portion is done. */
  async stop(): Promise<void> {
    this.stopped = true;
    await this.work.stop();
  }

  /**
   * Stores entries of every list that has any. Resolves to whether some may be left: a list had more than a transaction stores, or another
   * instance was storing entries of it. Rejects if Redis or PostgreSQL is unavailable.
   */
  async readOnce(): Promise<boolean> {
    const { beforeEachRound, afterEachRound, unread } = this.options;
    await beforeEachRound?.();
    try {
      return await this.storePortions(await unread.lengths());
    } finally {
      await afterEachRound?.();
    }
  }

  /** Two at a time: while PostgreSQL stores one, the next one is read and unpacked. */
  private async storePortions(lengths: ReadonlyMap<EventList, number>): Promise<boolean> {
    // Several instances that begin at the same moment meet at few portions.
    const first = Math.floor(this.random() * eventListPortions.length);
    const portions = [...eventListPortions.keys(), ...eventListPortions.keys()].slice(first);
    const rest = portions.slice(0, eventListPortions.length).values();
    const failures: unknown[] = [];
    let someAreLeft = false;
    const storeNext = async () => {
      for (const portion of rest) {
        if (this.stopped || failures.some(isOutage)) return;
        try {
          if (await this.storePortion(portion, lengths)) someAreLeft = true;
        } catch (error) {
          failures.push(error); // unless it is an outage, the other portions go on
        }
      }
    };
    await Promise.all([storeNext(), storeNext()]);
    const outage = failures.find(isOutage);
    if (failures.length > 0) throw outage ?? failures[0];
    return someAreLeft || this.stopped;
  }

  private async storePortion(portion: number, lengths: ReadonlyMap<EventList, number>): Promise<boolean> {
    const { unread, entries: store, onStored } = this.options;
    const present = (eventListPortions[portion] ?? []).flatMap((list) => {
      const length = lengths.get(list);
      return length === undefined ? [] : [{ list, length }];
    });
    if (present.length === 0) return false;
    const shares = sharesOf(present, maximumEntries);
    const read = await Promise.all(
      shares.map(async ({ list, share }) => (await unread.read(list, share)).map((bytes) => ({ list, bytes }))),
    );
    const taken = withinBytes(read);
    const entries = taken.flat();
    const stored = await store.store(portion, entries);
    if (stored === null) return true;
    this.hasStored = true;
    onStored?.(stored);
    await Promise.all(
      taken.map(async (fromList) => {
        const [head] = fromList;
        if (head !== undefined) {
          await unread.remove(
            head.list,
            fromList.map(({ bytes }) => bytes),
          );
        }
      }),
    );
    return entries.length < present.reduce((sum, { length }) => sum + length, 0);
  }

  /** Resolves to 0 if the next round is due at once: not if the rest belongs to another instance. */
  private async round(): Promise<number | undefined> {
    this.hasStored = false;
    const someAreLeft = await this.readOnce();
    return someAreLeft && this.hasStored ? 0 : undefined;
  }
}

/** How many entries each list gets: all of them, or an equal share of what the shorter lists leave. */
export function sharesOf<Present extends { length: number }>(lists: readonly Present[], most: number) {
  let left = most;
  return [...lists]
    .sort((one, other) => one.length - other.length)
    .map((present, index) => {
      const share = Math.min(present.length, Math.max(1, Math.floor(left / (lists.length - index))));
      left -= share;
      return { ...present, share };
    });
}

/** The first entries of each list, until there are enough bytes. */
function withinBytes(read: Entry[][]): Entry[][] {
  let bytes = 0;
  return read.map((entries) =>
    entries.filter((entry) => {
      if (bytes >= maximumBytes) return false;
      bytes += entry.bytes.length;
      return true;
    }),
  );
}
