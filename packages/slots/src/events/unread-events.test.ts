import { randomUUID } from 'node:crypto';
import { describeOnEveryRedis } from '../testing/test-store';
import { type EventList, eventListPortions, UnreadEvents } from './unread-events';

const [first, , third] = eventListPortions.flat();
const requests = eventListPortions.at(-1)?.[5];

// Other suites use the same lists: what is looked at stands before what they append.
describeOnEveryRedis((client) => {
  const unread = new UnreadEvents(client);
  const entry = () => Buffer.from(randomUUID());
  const keyOf = (list: EventList | undefined) => list?.key ?? '';
  const given = (list: EventList | undefined): EventList => {
    if (list === undefined) throw new Error('no such list');
    return list;
  };

  /** Puts entries before all others of a list. */
  async function put(list: EventList, ...entries: Buffer[]): Promise<void> {
    await client.lpush(list.key, ...entries.toReversed());
  }

  it('are found in lists of both kinds, with their number', async () => {
    const before = await Promise.all([first, third, requests].map((list) => client.llen(keyOf(list))));
    await put(given(third), entry(), entry());
    await put(given(requests), entry());
    const lengths = await unread.lengths();
    expect(lengths.get(given(third)) ?? 0).toBeGreaterThanOrEqual(2 + (before[1] ?? 0));
    expect(lengths.get(given(requests)) ?? 0).toBeGreaterThanOrEqual(1 + (before[2] ?? 0));
    expect([...lengths.values()].every((length) => length > 0)).toBe(true);
  });

  it('are read from the oldest on, and removed if the list still begins with them', async () => {
    const list = given(first);
    const [one, two, three] = [entry(), entry(), entry()];
    await put(list, one, two, three);
    expect(await unread.read(list, 2)).toEqual([one, two]);
    await unread.remove(list, [one, two]);
    await unread.remove(list, [one, two]);
    expect(await unread.read(list, 1)).toEqual([three]);
    await unread.remove(list, [three]);
  });

  it('that were dropped are reported until they are forgotten, unless more were dropped since', async () => {
    const list = given(third);
    await client.hset(list.droppedKey, { count: 2, from: 1_790_000_000_000_001, to: 1_790_000_000_000_009 });
    const droppedOf = async () => (await unread.dropped()).find(({ list: { key } }) => key === list.key);
    const dropped = await droppedOf();
    expect(dropped).toEqual({ list, count: 2, from: 1_790_000_000_000_001, to: 1_790_000_000_000_009 });
    await client.hincrby(list.droppedKey, 'count', 1);
    await unread.forgetDropped({ list, count: 2, from: 0, to: 0 });
    expect(await droppedOf()).toMatchObject({ count: 3 });
    await unread.forgetDropped({ list, count: 3, from: 0, to: 0 });
    expect(await droppedOf()).toBeUndefined();
  });
});

describe('the lists of a deployment', () => {
  it('are read in portions of one kind', () => {
    expect(eventListPortions.map((lists) => [lists.length, new Set(lists.map(({ kind }) => kind)).size])).toEqual([
      ...Array.from({ length: 16 }, () => [64, 1]),
      [16, 1],
    ]);
    expect(new Set(eventListPortions.flat().map(({ key }) => key)).size).toBe(1_040);
  });
});
