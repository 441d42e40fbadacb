import type { Metrics } from '@multi-drm/service-kit';
import type { Database } from '../database/database';

/** Exports the publishing lag to Prometheus: read from the database at each scrape. */
export function addOutboxGauges(metrics: Pick<Metrics, 'addGauges'>, prisma: Database): void {
  metrics.addGauges(
    {
      multi_drm_outbox_entries: 'Outbox entries that are not published yet.',
      multi_drm_outbox_oldest_entry_age_seconds:
        'Age of the oldest outbox entry that is not published yet; 0 if there is none.',
    },
    async () => {
      const [row] = await prisma.$queryRaw<{ entries: number; age: number }[]>`
        SELECT count(*)::integer AS entries,
          greatest(0, extract(epoch FROM clock_timestamp() - min(created_at)))::double precision AS age
        FROM outbox_entry`;
      return { multi_drm_outbox_entries: row?.entries ?? 0, multi_drm_outbox_oldest_entry_age_seconds: row?.age ?? 0 };
    },
  );
}
