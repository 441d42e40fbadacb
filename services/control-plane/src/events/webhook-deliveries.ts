import type { ClientBase } from 'pg';
import { type Column, rowsAs, timestampOf } from './bulk-rows';

/** What decides which endpoints hear of an event. */
interface StoredEvent {
  /** Microseconds since 1970. */
  time: number;
  id: string;
  type: string;
  /** The environment, project or organization that the event belongs to. */
  scopeId: string;
}

const columns: Column<StoredEvent>[] = [
  { name: 'time', type: 'timestamptz', value: ({ time }) => timestampOf(time) },
  { name: 'id', type: 'uuid', value: ({ id }) => id },
  { name: 'type', type: 'text', value: ({ type }) => type },
  { name: 'scope_id', type: 'uuid', value: ({ scopeId }) => scopeId },
];

/** Returns SQL: whether a type of event is one of some types, or of groups of types: such as `session.*`, or `*` for all. */
export const isOfTypes = (type: string, types: string): string =>
  `(ARRAY[${type}, split_part(${type}, '.', 1) || '.*', '*'] && ${types})`;

/**
 * Adds a delivery of each event to each endpoint that hears of it, in the transaction of the client, which has stored the events: those of
 * the endpoint's environments, of its project and, unless the project is archived, of its organization: an organization may have any number
 * of archived projects.
 */
export async function insertDeliveries(client: ClientBase, events: readonly StoredEvent[]): Promise<void> {
  if (events.length === 0) return;
  const { table, values } = rowsAs('given', columns, events);
  await client.query(
    `WITH given AS MATERIALIZED (SELECT * FROM ${table}),
     scope AS (SELECT DISTINCT scope_id AS id FROM given),
     hearing AS (
       SELECT scope.id AS scope_id, endpoint.id, endpoint.types FROM scope
         JOIN environment ON environment.id = scope.id
         JOIN webhook_endpoint AS endpoint ON endpoint.project_id = environment.project_id
       WHERE endpoint.enabled AND (endpoint.environment_ids = '{}' OR scope.id = ANY(endpoint.environment_ids))
       UNION ALL
       SELECT scope.id, endpoint.id, endpoint.types FROM scope
         JOIN webhook_endpoint AS endpoint ON endpoint.project_id = scope.id
       WHERE endpoint.enabled
       UNION ALL
       SELECT scope.id, endpoint.id, endpoint.types FROM scope
         JOIN project ON project.organization_id = scope.id AND project.status = 'active'
         JOIN webhook_endpoint AS endpoint ON endpoint.project_id = project.id
       WHERE endpoint.enabled
     )
     INSERT INTO webhook_delivery (endpoint_id, time, event_id, next_attempt_at)
     SELECT hearing.id, given.time, given.id, clock_timestamp()
     FROM given JOIN hearing USING (scope_id)
     WHERE ${isOfTypes('given.type', 'hearing.types')}
     ON CONFLICT DO NOTHING`,
    values,
  );
}
