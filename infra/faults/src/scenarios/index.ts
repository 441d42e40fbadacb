import { outageScenario, type Scenario } from '../scenario';
import { clockSteps } from './clock-steps';
import { clusterChanges } from './cluster-changes';
import { databaseScenarios } from './databases';
import { deadPlayer } from './dead-player';
import { emptiedScenarios } from './emptied-redis';
import { eventsExact } from './events-exact';
import { eventsRate } from './events-rate';
import { unreadScenarios } from './events-unread';
import { halfBodies } from './half-bodies';
import { hostileScenarios } from './hostile-tenants';
import { issuerDown } from './issuer-down';
import { otherSecretKeys } from './other-secret-keys';
import { pipelining } from './pipelining';
import { processScenarios } from './processes';
import { redisOutages } from './redis-outages';
import { revocationAfterOutage } from './revocation-after-outage';
import { sentinelFailovers } from './sentinel-failovers';
import { staleScenarios } from './stale-redis';
import { stranger } from './stranger';
import { subscriberSilent } from './subscriber';
import { viewerOf1000 } from './viewer-of-1000';
import { webhooks } from './webhooks';
import { worstBodies } from './worst-bodies';

/** Every scenario by name, in the order in which they run. */
export const scenarios: Record<string, Scenario> = {
  ...Object.fromEntries(Object.entries(redisOutages).map(([name, outage]) => [name, outageScenario(outage)])),
  ...sentinelFailovers,
  ...clusterChanges,
  'subscriber-silent': subscriberSilent,
  'revocation-after-outage': revocationAfterOutage,
  'events-exact': eventsExact,
  'events-rate': eventsRate,
  ...unreadScenarios,
  webhooks,
  'dead-player': deadPlayer,
  ...emptiedScenarios,
  ...staleScenarios,
  ...databaseScenarios,
  ...processScenarios,
  ...hostileScenarios,
  'viewer-of-1000': viewerOf1000,
  stranger,
  'half-bodies': halfBodies,
  'issuer-down': issuerDown,
  'clock-steps': clockSteps,
  'other-secret-keys': otherSecretKeys,
  'worst-bodies': worstBodies,
  pipelining,
};
