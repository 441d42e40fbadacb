import { setTimeout as sleep } from 'node:timers/promises';
import { runOnDatabase } from '@multi-drm/test-kit';
import { percentile } from '@multi-drm/test-kit/load/percentile';
import type { Stage } from '@multi-drm/test-kit/stage/stage';
import { secondsOfLoad } from '../events/extent';
import type { ZappingLoad } from '../events/zapping-load';
import { addEndpoint, Receiver } from './receiver';

/** Each reports two events. */
const createsPerSecond = 250;

/** How long after the change the last event is delivered, and 99 of 100 are stored, in milliseconds. */
const deliveredWithin = 5_000;
const storedWithin = 2_000;

/** How long to wait for the last deliveries, in milliseconds. */
const patience = 60_000;

interface DeliveredLoad {
  broken: string[];
  note: string;
}

/** Resolves once usage has counted all events. */
async function untilCounted(databaseUrl: string): Promise<void> {
  const minutes = 'SELECT FROM usage_dirty_minute WHERE NOT is_recomputed LIMIT 1';
  while ((await runOnDatabase(databaseUrl, minutes)).length > 0) await sleep(500);
}

/** Has every event of a load delivered to one endpoint. Waits until earlier events are counted. */
export async function deliverLoad({ customer, databaseUrl }: Stage, load: ZappingLoad): Promise<DeliveredLoad> {
  await untilCounted(databaseUrl);
  const receiver = await Receiver.start('reliable');
  await addEndpoint(databaseUrl, customer.projectId, receiver);
  const from = new Date().toISOString();
  load.start(createsPerSecond);
  await sleep(secondsOfLoad * 1_000);
  await load.stop();
  const pending = async () => {
    const [row] = await runOnDatabase<{ count: number }>(
      databaseUrl,
      "SELECT count(*)::integer AS count FROM webhook_delivery WHERE status <> 'delivered'",
    );
    return row?.count ?? 0;
  };
  // The last events are stored within a second or two.
  await sleep(2_000);
  for (const deadline = Date.now() + patience; Date.now() < deadline && (await pending()) > 0; ) await sleep(100);
  receiver.close();
  const delays = await runOnDatabase<{ delay: number }>(
    databaseUrl,
    `SELECT (extract(epoch FROM stored_at - time) * 1000)::double precision AS delay FROM event
     WHERE scope_id = $1 AND time >= $2::timestamptz`,
    [customer.siteId, from],
  );
  const stored = percentile(
    delays.map(({ delay }) => delay),
    0.99,
  );
  const last = receiver.delays.at(-1) ?? Number.NaN;
  const left = await pending();
  const broken: string[] = [];
  if (left > 0) broken.push(`${left} events were not delivered`);
  if (receiver.refused > 0) broken.push(`${receiver.refused} messages do not verify`);
  if (!(stored <= storedWithin)) broken.push(`99 % of the events were stored within ${Math.round(stored)} ms`);
  if (!(last <= deliveredWithin)) broken.push(`the last event was delivered after ${Math.round(last)} ms`);
  const perSecond = Math.round(receiver.arrivals.size / secondsOfLoad);
  return {
    broken,
    note: `${perSecond} events a second to one endpoint: 99 % stored within ${Math.round(stored)} ms, delivered after ${Math.round(percentile(receiver.delays, 0.5))} ms (50 %), the last one after ${Math.round(last)} ms`,
  };
}
