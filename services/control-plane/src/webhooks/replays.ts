import type { ClientBase } from 'pg';
import type { BoundedPool } from '../database/connection-pool';
import { inTransaction } from '../database/pool-transaction';
import { isOfTypes } from '../events/webhook-deliveries';

/** How many events are looked at in one step, and beyond how many deliveries that wait a replay waits, too. */
const eventsAtOnce = 1_000;
/** How many replays one call takes a step of. */
const replaysAtOnce = 10;

interface Replay {
  id: string;
  endpointId: string;
  projectId: string;
  organizationId: string;
  environmentIds: string[];
  /** Those of the replay, or else of the endpoint. */
  types: string[];
  onlyFailed: boolean;
}

/** What a step has looked at. */
interface Step {
  count: number;
  /** The id of the last event. */
  last: string | null;
}

const placeOf = `(SELECT coalesce(replay.cursor, '00000000-0000-0000-0000-000000000000') AS cursor, replay.from_time, replay.to_time
  FROM webhook_replay AS replay WHERE replay.id = $2) AS place`;

/** Events of the scopes of which an endpoint hears, each scope in the order of its index. */
const storedEvents = `SELECT event.time, event.id, event.type
  FROM ${placeOf}, unnest($4::uuid[]) AS scope(id) CROSS JOIN LATERAL (
    SELECT time, id, type FROM event
    WHERE scope_id = scope.id AND id > place.cursor AND time >= place.from_time AND time < place.to_time
    ORDER BY id LIMIT ${eventsAtOnce}
  ) AS event
  ORDER BY event.id LIMIT ${eventsAtOnce}`;

const failedEvents = `SELECT delivery.time, delivery.event_id AS id, event.type
  FROM ${placeOf}, LATERAL (
    SELECT time, event_id FROM webhook_delivery
    WHERE endpoint_id = $1 AND status = 'failed' AND event_id > place.cursor AND time >= place.from_time AND time < place.to_time
    ORDER BY time, event_id LIMIT ${eventsAtOnce}
  ) AS delivery JOIN event ON event.time = delivery.time AND event.id = delivery.event_id`;

/** Makes due what was not sent yet or has ended; what waits for an attempt has one anyway. */
const stepOver = (events: string) => `WITH looked AS MATERIALIZED (${events}),
  due AS (
    INSERT INTO webhook_delivery (endpoint_id, time, event_id, is_replay, next_attempt_at)
    SELECT $1::uuid, time, id, true, clock_timestamp() FROM looked WHERE ${isOfTypes('type', '$3::text[]')}
    ON CONFLICT (endpoint_id, time, event_id) DO UPDATE
    SET status = 'pending', attempts = 0, is_replay = true, next_attempt_at = clock_timestamp()
    WHERE webhook_delivery.next_attempt_at IS NULL
  )
  SELECT count(*)::integer AS count, (SELECT id::text FROM looked ORDER BY id DESC LIMIT 1) AS last FROM looked`;

/**
 * Takes a step of replays. A replay waits while many of its endpoint's deliveries of replays are due. Any
 * number of processes may do so at the same time. Resolves to whether it has made deliveries due.
 */
export async function advanceReplays(pool: BoundedPool): Promise<boolean> {
  return inTransaction(pool, async (client) => {
    // The query below has to be planned over all partitions.
    const { rows } = await client.query<{ some: boolean }>('SELECT EXISTS (SELECT FROM webhook_replay) AS some');
    if (!rows[0]?.some) return false;
    const replays = await lockReplays(client);
    for (const replay of replays) await advance(client, replay);
    return replays.length > 0;
  });
}

async function lockReplays(client: ClientBase): Promise<Replay[]> {
  const { rows } = await client.query<Replay>(
    `SELECT replay.id::text, replay.endpoint_id::text AS "endpointId", endpoint.project_id::text AS "projectId",
       project.organization_id::text AS "organizationId", endpoint.environment_ids::text[] AS "environmentIds",
       CASE WHEN replay.types = '{}' THEN endpoint.types ELSE replay.types END AS types, replay.only_failed AS "onlyFailed"
     FROM webhook_replay AS replay
     JOIN webhook_endpoint AS endpoint ON endpoint.id = replay.endpoint_id AND endpoint.enabled
     JOIN project ON project.id = endpoint.project_id
     WHERE NOT EXISTS (
       SELECT FROM webhook_delivery
       WHERE endpoint_id = replay.endpoint_id AND is_replay AND next_attempt_at IS NOT NULL OFFSET ${eventsAtOnce}
     )
     ORDER BY replay.id LIMIT ${replaysAtOnce} FOR UPDATE OF replay SKIP LOCKED`,
  );
  return rows;
}

async function advance(client: ClientBase, replay: Replay): Promise<void> {
  const { id, endpointId, types, onlyFailed } = replay;
  const parameters = [endpointId, id, types];
  const { rows } = onlyFailed
    ? await client.query<Step>(stepOver(failedEvents), parameters)
    : await client.query<Step>(stepOver(storedEvents), [...parameters, await scopesOf(client, replay)]);
  const [step] = rows;
  if (step === undefined || step.count < eventsAtOnce) {
    await client.query('DELETE FROM webhook_replay WHERE id = $1', [id]);
  } else {
    await client.query('UPDATE webhook_replay SET cursor = $2 WHERE id = $1', [id, step.last]);
  }
}

async function scopesOf(client: ClientBase, { projectId, organizationId, environmentIds }: Replay): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>(
    `SELECT id::text FROM environment WHERE project_id = $1 AND ($2::uuid[] = '{}' OR id = ANY($2))`,
    [projectId, environmentIds],
  );
  return [...rows.map(({ id }) => id), projectId, organizationId];
}
