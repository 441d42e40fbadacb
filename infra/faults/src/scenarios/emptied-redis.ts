import type { Answer } from '@multi-drm/test-kit/load/calls';
import type { KnownSession } from '@multi-drm/test-kit/load/ledger';
import type { Load } from '@multi-drm/test-kit/load/load';
import type { Stage } from '@multi-drm/test-kit/stage/stage';
import { Redis } from 'ioredis';
import { auditEvents } from '../events/audit-events';
import { type Outage, runOutage } from '../outage';
import type { Outcome } from '../outcome';
import { onStage } from '../scenario';
import { heldSlots } from '../slot-audit';
import { insertTenants } from './many-tenants';

const playerCalls = ['create', 'release', 'renew', 'license'] as const;

/** Calls on lost sessions may be refused as unknown, but creates must never get a 4xx. */
const isLostSessionRefusal = ({ operation, status, code }: Answer) =>
  operation !== 'create' && status < 500 && code.startsWith('session_');

/** What else happens when Redis is emptied. */
type Circumstances = Pick<Outage, 'begin' | 'end' | 'lasts' | 'restarts'>;

/** Milliseconds for which events may be unread before Redis is emptied, and lost with it. */
const unreadMilliseconds = 1_500;

/** Empties Redis under load, so that all sessions lose their slots. When it is filled again, they come back. */
async function emptyRedis(
  stage: Stage,
  circumstances: Circumstances = { begin: () => undefined, end: () => undefined, lasts: 0 },
): Promise<Outcome> {
  let under: { load: Load; lost: KnownSession[]; emptiedAt: number } | undefined;
  const outcome = await runOutage(stage, {
    ...circumstances,
    begin: async (_stage, load) => {
      await circumstances.begin(stage, load);
      const admin = new Redis(stage.redis.url);
      await admin.flushall();
      admin.disconnect();
      under = { load, lost: load.ledger.allCertainlyActive(), emptiedAt: Date.now() };
      load.ledger.lostAll();
    },
    fails: playerCalls,
    allows: isLostSessionRefusal,
    recoversWithin: 3_000,
  });
  if (under === undefined) return outcome;
  const { load, lost, emptiedAt } = under;
  await comeBack(stage, load, lost, outcome);
  await auditEvents(stage, load, outcome, { from: emptiedAt - unreadMilliseconds, to: emptiedAt });
  return outcome;
}

/**
 * Asks for a license for each lost session that was not released: it comes back, unless the viewer's other sessions have all slots. The
 * load has ended.
 */
async function comeBack({ redis, customer }: Stage, load: Load, lost: KnownSession[], outcome: Outcome): Promise<void> {
  const { broken, notes } = outcome;
  const asked = lost.filter(({ state }) => state === 'unknown');
  const before = load.answers.length;
  for (const session of asked) await load.license(session);
  const answers = load.answers.slice(before);
  const held = [...(await heldSlots(redis.connect(), customer.siteId)).values()];
  const slotsOf = (viewer: string) => held.filter(({ subject }) => subject === viewer).length;
  for (const [index, { subject }] of asked.entries()) {
    const { status = 0, code } = answers[index] ?? {};
    if (status !== 200 && code !== 'session_not_found') broken.push(`a lost session was answered ${status} ${code}`);
    if (status !== 200 && slotsOf(subject) < load.ledger.limit) broken.push('a lost session did not come back');
    if (slotsOf(subject) > load.ledger.limit) broken.push('a viewer has more sessions than the limit');
  }
  const back = answers.filter(({ status }) => status === 200).length;
  notes?.push(`${back} of ${asked.length} lost sessions came back; the viewers of the others had all their slots`);
}

export const emptiedScenarios = {
  'redis-emptied': onStage({ playbacks: 2 }, async (stage) => {
    await insertTenants(stage, { tenants: 100, endUsers: 1_000 });
    return emptyRedis(stage);
  }),
  'redis-emptied-with-100000-end-users': onStage({ playbacks: 2 }, async (stage) => {
    await insertTenants(stage, { tenants: 1_000, endUsers: 100_000 });
    return emptyRedis(stage);
  }),
  'redis-emptied-without-control-plane': onStage({ playbacks: 2 }, async (stage) => {
    const { controlPlane } = stage;
    return emptyRedis(stage, {
      begin: () => controlPlane.kill(),
      lasts: 3_000,
      end: () => controlPlane.start(),
      restarts: [controlPlane],
    });
  }),
};
