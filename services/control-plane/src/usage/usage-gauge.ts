import type { Metrics } from '@multi-drm/service-kit';
import type { Database } from '../database/database';

/** Exports how far usage is behind: read at each scrape. */
export function addUsageGauge(metrics: Pick<Metrics, 'addGauges'>, database: Database): void {
  metrics.addGauges(
    { multi_drm_usage_minutes_due: 'Minutes in which events were stored that are not counted yet.' },
    async () => ({
      multi_drm_usage_minutes_due: (
        await database.usageDirtyMinute.groupBy({ by: ['minute'], where: { isRecomputed: false } })
      ).length,
    }),
  );
}
