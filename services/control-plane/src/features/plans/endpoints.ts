import { endpoint } from '../../access/endpoint';
import { plans } from '../../plans/plans';

/** The plan catalog. */
export function planEndpoints() {
  return [
    endpoint({
      operationId: 'listPlans',
      access: 'public',
      handle: async () => ({ status: 200, body: { plans: [...plans] } }),
    }),
  ];
}
