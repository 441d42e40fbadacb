import type { ClientBase } from 'pg';
import { lowestEventIdAt } from '../events/event-id';
import type { EventType } from '../events/event-rows';
import { type Dimension, type DimensionOrTotal, dimensionsAndTotal, maximumValues, otherValues } from './dimensions';

/** The environments of an organization. */
export interface OrganizationScope {
  organizationId: string;
  environmentIds: string[];
}

/** The dimensions whose values are limited, each with how many there may be. */
export const limits = Object.entries(maximumValues) as [Dimension, number][];

/** The column in which SQL has the values of a dimension, or of the total. */
export const columnOf: Record<DimensionOrTotal, string> = {
  '': 'total',
  drmSystem: 'drm_system',
  clientPlatform: 'client_platform',
  applicationId: 'application_id',
  contentId: 'content_id',
  contentType: 'content_type',
};

/**
 * SQL of the events of organizations in a time, without those of the sandbox, with the parameters of `parametersOf`. `day`: on which the session started, or, of a
 * request, on which it was made.
 */
export const selectEvents = (types: readonly EventType[]): string => `
  SELECT scope.environment_id, scope.organization_id, event.id, event.time, event.type, event.subject, event.data,
    CASE event.type WHEN 'session.ended' THEN left(event.data->>'startedAt', 10)::date
      ELSE (event.time AT TIME ZONE 'UTC')::date END AS day,
    event.content_id, event.data->>'contentType' AS content_type, event.data->>'drmSystem' AS drm_system,
    event.data->>'applicationId' AS application_id, event.data->>'clientPlatform' AS client_platform
  FROM event JOIN unnest($1::uuid[], $2::uuid[]) AS scope(environment_id, organization_id) ON event.scope_id = scope.environment_id
  WHERE event.scope_id = ANY ($1::uuid[]) AND event.id >= $3::uuid AND event.id < $4::uuid
    AND event.time >= $5::timestamptz AND event.time < $6::timestamptz
    AND event.data->'sandbox' IS NULL AND event.type IN (${types.map((type) => `'${type}'`).join(', ')})`;

/** SQL of the same with `columns`, and with the value of each dimension under which the event is counted, in the columns of `columnOf`. */
export const countedEvents = (types: readonly EventType[], columns: string): string => `
  SELECT ${columns}, ${dimensionsAndTotal.map((dimension) => `${countedValue(dimension)} AS ${columnOf[dimension]}`).join(', ')}
  FROM (${selectEvents(types)}) AS selected
  ${limits.map(([dimension]) => joinTaken(dimension, columnOf[dimension])).join('\n  ')}`;

function countedValue(dimension: DimensionOrTotal): string {
  if (dimension === '') return `'' COLLATE "C"`;
  const column = columnOf[dimension];
  if (!(dimension in maximumValues)) return `coalesce(selected.${column}, '') COLLATE "C"`;
  return `CASE WHEN selected.${column} IS NULL THEN '' ELSE coalesce(${column}_taken.value, '${otherValues}') END COLLATE "C"`;
}

const joinTaken = (dimension: Dimension, column: string): string =>
  `LEFT JOIN usage_value AS ${column}_taken ON ${column}_taken.environment_id = selected.environment_id
    AND ${column}_taken.day = selected.day AND ${column}_taken.dimension = '${dimension}' AND ${column}_taken.value = selected.${column}
    AND ${column}_taken.environment_id = ANY ($1::uuid[])`;

/**
 * Plans these queries well for the rest of a transaction. Compiling them takes longer than they do. All joins are by hash, because
 * PostgreSQL has no statistics of the values of a new day, and would compare all of them with each event.
 */
export async function planForManyEvents(client: ClientBase): Promise<void> {
  await client.query('SET LOCAL jit = off; SET LOCAL enable_nestloop = off; SET LOCAL enable_mergejoin = off');
}

/** Returns the parameters of these queries, $1 to $6. `to`: exclusive. */
export function parametersOf(organizations: readonly OrganizationScope[], from: Date, to: Date): unknown[] {
  const scopes = organizations.flatMap(({ organizationId, environmentIds }) =>
    environmentIds.map((environmentId) => ({ environmentId, organizationId })),
  );
  return [
    scopes.map(({ environmentId }) => environmentId),
    scopes.map(({ organizationId }) => organizationId),
    lowestEventIdAt(from.getTime()),
    lowestEventIdAt(to.getTime()),
    from.toISOString(),
    to.toISOString(),
  ];
}
