import type { Metrics } from '@multi-drm/service-kit';
import type { Database } from '../../database/database';
import { countPendingOrganizations } from '../../stores/organization-list';

/** Exports to Prometheus how many organizations wait for approval: read from the database at each scrape. */
export function addPendingOrganizationsGauge(metrics: Pick<Metrics, 'addGauges'>, database: Database): void {
  const name = 'multi_drm_organizations_pending';
  metrics.addGauges({ [name]: "Registered organizations that wait for the operator's approval." }, async () => ({
    [name]: await countPendingOrganizations(database),
  }));
}
