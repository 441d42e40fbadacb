import type { Metrics } from '@multi-drm/service-kit';
import type { UnreadEvents } from '@multi-drm/slots';
import type { EventPartitions } from './event-partitions';
import { timeOfOldestUnread } from './oldest-unread';

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
      const oldest = await timeOfOldestUnread(unread, lengths.keys());
      return {
        multi_drm_event_entries_unread: [...lengths.values()].reduce((sum, length) => sum + length, 0),
        multi_drm_event_oldest_unread_age_seconds: oldest === undefined ? 0 : Math.max(0, (now() - oldest) / 1000),
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
