import { Redis } from 'ioredis';
import type { Load } from '../load';
import type { Outage } from '../outage';
import { runOutage } from '../outage';
import { onStage } from '../scenario';
import type { Stage } from '../stage';
import { insertTenants } from './many-tenants';

/** Empties Redis, so that all earlier sessions lose their slots. */
async function empty({ redis }: Stage, load: Load): Promise<void> {
  const admin = new Redis(redis.url);
  await admin.flushall();
  admin.disconnect();
  load.ledger.lostAll();
}

const playerCalls = ['create', 'release', 'renew', 'license'] as const;

/** Calls on lost sessions may be refused as unknown, but creates must never get a 4xx. */
const ofLostSession: Outage['allows'] = ({ operation, status, code }) =>
  operation !== 'create' && status < 500 && code.startsWith('session_');

const emptied: Outage = {
  begin: empty,
  end: () => undefined,
  lasts: 0,
  fails: playerCalls,
  allows: ofLostSession,
  recoversWithin: 3_000,
};

export const emptiedScenarios = {
  'redis-emptied': onStage({ playbacks: 2 }, async (stage) => {
    await insertTenants(stage, { tenants: 100, endUsers: 1_000 });
    return runOutage(stage, emptied);
  }),
  'redis-emptied-with-100000-end-users': onStage({ playbacks: 2 }, async (stage) => {
    await insertTenants(stage, { tenants: 1_000, endUsers: 100_000 });
    return runOutage(stage, emptied);
  }),
  'redis-emptied-without-control-plane': onStage({ playbacks: 2 }, async (stage) => {
    const { controlPlane } = stage;
    return runOutage(stage, {
      ...emptied,
      begin: async (_stage, load) => {
        await controlPlane.kill();
        await empty(stage, load);
      },
      lasts: 3_000,
      end: () => controlPlane.start(),
      restarts: [controlPlane],
    });
  }),
};
