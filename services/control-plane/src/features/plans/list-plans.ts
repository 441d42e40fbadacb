import { endpoint } from '../../access/endpoint';
import { plans } from '../../plans/plans';

/** GET /api/v1/plans: the subscription plan catalog. */
export const listPlans = () =>
  endpoint({
    operationId: 'listPlans',
    access: 'public',
    handle: async () => ({ status: 200, body: { plans: [...plans] } }),
  });
