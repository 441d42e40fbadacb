import type { Metrics } from '@multi-drm/service-kit';
import { type EventList, readRequestEvents, readSlotEvent, type UnreadEvents } from '@multi-drm/slots';
import type { EventPartitions } from './event-partitions';

/** Exports how far events are behind, and for how long they can be stored: read at each scrape. `now`: milliseconds since 1970. */
export function addEventGauges(
  metrics: Pick<Metrics, 'addGauges'>,
  { unread, partitions }: { unread: UnreadEvents; partitions: EventPartitions },
  now: () => number,
): void {
  metrics.addGauges(
    {
      multi_drm_event_entries_unread: 'Entries of events in Redis that are not stored yet.',
      multi_drm_event_oldest_unread_age_seconds:
        'Age of the oldest entry of events in Redis that is not stored yet; 0 if there is none.',
    },
    async () => {
      const lengths = await unread.lengths();
      const times = await Promise.all([...lengths.keys()].map((list) => timeOfOldest(unread, list)));
      const oldest = Math.min(...times.flatMap((time) => time ?? []));
      return {
        multi_drm_event_entries_unread: [...lengths.values()].reduce((sum, length) => sum + length, 0),
        multi_drm_event_oldest_unread_age_seconds: Number.isFinite(oldest) ? Math.max(0, (now() - oldest) / 1000) : 0,
      };
    },
  );
  metrics.addGauges(
    {
      multi_drm_event_partition_days:
        'Days from today on for which there are partitions, so that events can be stored.',
    },
    async () => ({ multi_drm_event_partition_days: await partitions.daysLeft() }),
  );
}

/** In milliseconds since 1970; undefined if nothing is left, or nobody can read it. */
async function timeOfOldest(unread: UnreadEvents, list: EventList): Promise<number | undefined> {
  const [entry] = await unread.read(list, 1);
  if (entry === undefined) return undefined;
  try {
    return list.kind === 'slot' ? readSlotEvent(entry).at / 1000 : readRequestEvents(entry)[0]?.at;
  } catch {
    return undefined; // it will be set aside
  }
}
