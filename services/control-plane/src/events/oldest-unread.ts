import { type EventList, readRequestEvents, readSlotEvent, type UnreadEvents } from '@multi-drm/slots';

/** When the oldest entry of these lists happened, in milliseconds since 1970; undefined if nothing is left to read. */
export async function timeOfOldestUnread(
  unread: Pick<UnreadEvents, 'read'>,
  lists: Iterable<EventList>,
): Promise<number | undefined> {
  const times = await Promise.all([...lists].map((list) => timeOfOldest(unread, list)));
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}

/** In milliseconds since 1970; undefined if nothing is left, or nobody can read it. */
async function timeOfOldest(unread: Pick<UnreadEvents, 'read'>, list: EventList): Promise<number | undefined> {
  const [entry] = await unread.read(list, 1);
  if (entry === undefined) return undefined;
  try {
    return list.kind === 'slot' ? readSlotEvent(entry).at / 1000 : readRequestEvents(entry)[0]?.at;
  } catch {
    return undefined; // it will be set aside
  }
}

/** Playback reports refusals and licenses a quarter of a second late. */
const reportDelayMilliseconds = 1_000;

/** Until when everything that playback has reported is stored. Rejects if Redis is unavailable. `now`: the time of the call. */
export async function storedUntil(unread: Pick<UnreadEvents, 'lengths' | 'read'>, now: Date): Promise<Date> {
  const oldest = await timeOfOldestUnread(unread, (await unread.lengths()).keys());
  return new Date(Math.min(now.getTime() - reportDelayMilliseconds, oldest ?? Number.POSITIVE_INFINITY));
}
