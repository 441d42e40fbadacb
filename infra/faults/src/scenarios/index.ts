import { outageScenario, type Scenario } from '../scenario';
import { redisOutages } from './redis-outages';

/** Every scenario by its name, in the order in which they run. */
export const scenarios: Record<string, Scenario> = {
  ...Object.fromEntries(Object.entries(redisOutages).map(([name, outage]) => [name, outageScenario(outage)])),
};
