import { listPlans } from './list-plans';

/** The plan catalog. */
export function planEndpoints() {
  return [listPlans()];
}
