import type { Metrics } from '@multi-drm/service-kit';
import type { PrismaClient } from '../generated/prisma/client';

/** Tells Prometheus how far publishing is behind: read from the database whenever it asks. */
export function addOutboxGauges(metrics: Pick<Metrics, 'addGauges'>, prisma: PrismaClient): void {
  metrics.addGauges(
    {
      outbox_entries: 'Marks of changes that are not published yet.',
      outbox_oldest_entry_age_seconds: 'Age of the oldest mark of a change that is not published yet; 0 without any.',
    },
    async () => {
      const [row] = await prisma.$queryRaw<{ entries: number; age: number }[]>`
        SELECT count(*)::integer AS entries,
          greatest(0, extract(epoch FROM clock_timestamp() - min(created_at)))::double precision AS age
        FROM outbox_entry`;
      return { outbox_entries: row?.entries ?? 0, outbox_oldest_entry_age_seconds: row?.age ?? 0 };
    },
  );
}
