import { setTimeout as sleep } from 'node:timers/promises';
import { cloneDatabase, startNetworkLink } from '@multi-drm/test-kit';
import { Stage } from '@multi-drm/test-kit/stage/stage';
import { underLoad } from '../machine-delay';
import { auditOf, warmUp } from '../outage';
import { type Outcome, totalOf } from '../outcome';
import { LivenessProbe } from '../probe';
import type { Scenario } from '../scenario';

const bound = 1_000;
const outageMilliseconds = 10_000;

/** A store that the control plane cannot reach for a while. */
interface Unreachable {
  name: string;
  begin(): unknown;
  end(): Promise<void>;
}

/** Only the control plane loses a store for a while; an API client is revoked as soon as the store is back. */
export const revocationAfterOutage: Scenario = async () => {
  const database = await cloneDatabase();
  const toDatabase = await startNetworkLink(database.url);
  const stage = await Stage.start({ playbacks: 2, databaseUrl: toDatabase.url });
  try {
    await warmUp(stage);
    const stores: Unreachable[] = [
      { name: 'PostgreSQL', begin: () => toDatabase.cut(), end: () => toDatabase.restore() },
      {
        name: 'Redis',
        begin: () => stage.redis.link.silence('control-plane'),
        end: () => stage.redis.link.restore(),
      },
    ];
    const outcomes: Outcome[] = [];
    for (const store of stores) outcomes.push(await revokeAfter(store, stage));
    return totalOf(outcomes);
  } finally {
    await stage.close();
    await toDatabase.close();
    await database.drop();
  }
};

async function revokeAfter(store: Unreachable, stage: Stage): Promise<Outcome> {
  const revoked = await stage.addCustomer();
  const urls = stage.services.map(({ url }) => url);
  const probe = await LivenessProbe.start(urls);
  const others = stage.load({ prefix: `beside-${store.name}` });
  const load = stage.load({ prefix: `revoked-${store.name}`, callsPerSecond: 40 }, revoked);
  let since = 0;
  const { broken } = await underLoad(stage.playbackUrls, others, async () => {
    load.start();
    await sleep(500);
    await store.begin();
    await sleep(outageMilliseconds);
    await store.end();
    since = await untilRevoked(() => revoked.revokeApiClient());
    await sleep(bound + 2_000);
    await load.stop();
  });
  // Only of the measured second: earlier delays of the machine are no excuse.
  const delay = Math.max(...urls.map((url) => probe.longest(url, since, since + bound)));
  await probe.stop();

  const accepted = load.answers.filter(({ operation, status }) => operation === 'create' && status === 200);
  const last = Math.max(0, ...accepted.map(({ sentAt, milliseconds }) => sentAt + milliseconds - since));
  if (!load.answers.some(({ code }) => code === 'client_authentication_failed')) {
    broken.push(`${store.name}: the revoked client was never refused`);
  }
  if (last > bound + delay) broken.push(`${store.name}: the revoked client was accepted for ${Math.round(last)} ms`);
  const outcome = await auditOf(stage, others, broken);
  return {
    ...outcome,
    requests: outcome.requests + load.sent,
    recoveryMilliseconds: last,
    notes: [
      `after ${outageMilliseconds / 1_000} s without ${store.name} a revoked client was accepted for ${Math.round(last)} ms; the machine's own delay then up to ${Math.round(delay)} ms`,
    ],
  };
}

/** Retries until the control plane accepts the revocation; resolves to when the accepted call was sent. */
async function untilRevoked(revoke: () => Promise<unknown>): Promise<number> {
  for (const deadline = Date.now() + 30_000; ; await sleep(50)) {
    const sentAt = Date.now();
    try {
      await revoke();
      return sentAt;
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
  }
}
