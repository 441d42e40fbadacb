import type { Metrics } from '@multi-drm/service-kit';
import type { DueEndpoint } from './due-endpoints';

/** Exports how far deliveries are behind: read at each scrape. */
export function addWebhookGauges(
  metrics: Pick<Metrics, 'addGauges'>,
  findDueEndpoints: () => Promise<DueEndpoint[]>,
): void {
  metrics.addGauges(
    {
      multi_drm_webhook_endpoints_due: 'Webhook endpoints with deliveries that are due.',
      multi_drm_webhook_oldest_due_age_seconds:
        'How long the oldest delivery to a webhook endpoint has been due; 0 if none is.',
    },
    async () => {
      const due = await findDueEndpoints();
      return {
        multi_drm_webhook_endpoints_due: due.length,
        multi_drm_webhook_oldest_due_age_seconds: Math.max(0, ...due.map(({ dueSeconds }) => dueSeconds)),
      };
    },
  );
}
