import { outageScenario, type Scenario } from '../scenario';
import { databaseScenarios } from './databases';
import { deadPlayer } from './dead-player';
import { emptiedScenarios } from './emptied';
import { hostileScenarios } from './hostile-tenants';
import { processScenarios } from './processes';
import { redisOutages } from './redis-outages';
import { subscriberSilent } from './subscriber';

/** Every scenario by its name, in the order in which they run. */
export const scenarios: Record<string, Scenario> = {
  ...Object.fromEntries(Object.entries(redisOutages).map(([name, outage]) => [name, outageScenario(outage)])),
  'subscriber-silent': subscriberSilent,
  'dead-player': deadPlayer,
  ...emptiedScenarios,
  ...databaseScenarios,
  ...processScenarios,
  ...hostileScenarios,
};
