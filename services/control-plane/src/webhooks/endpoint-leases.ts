import type { BoundedPool } from '../database/connection-pool';
import { inTransaction } from '../database/pool-transaction';

/** How long an endpoint belongs to a process after the lease was taken or renewed. */
export const leaseMilliseconds = 15_000;

/** What the deliveries of an endpoint need to know of it, as it is stored. */
export interface LeasedEndpoint {
  id: string;
  projectId: string;
  organizationId: string;
  url: string;
  maximumPerSecond: number | null;
  /** Encrypted. */
  secret: string;
  /** Encrypted; null: there is none, or it has expired. */
  previousSecret: string | null;
  /** Encrypted, by name. */
  secretHeaders: Record<string, string>;
}

const leasedUntil = `clock_timestamp() + interval '${leaseMilliseconds} milliseconds'`;

const columns = `endpoint.id::text, endpoint.project_id::text AS "projectId", project.organization_id::text AS "organizationId",
  endpoint.url, endpoint.maximum_per_second AS "maximumPerSecond", endpoint.secret, endpoint.secret_headers AS "secretHeaders",
  CASE WHEN endpoint.previous_secret_expires_at > clock_timestamp() THEN endpoint.previous_secret END AS "previousSecret"`;

/**
 * Leases of endpoints: only the process that holds one sends to the endpoint. A process that ends without giving its leases up is followed
 * by others once they have expired, by the clock of the database.
 */
export class EndpointLeases {
  /** `owner`: a random id of this process. */
  constructor(
    private readonly pool: BoundedPool,
    private readonly owner: string,
  ) {}

  /** Takes the leases of some of these endpoints, in their order, that are enabled and that nobody holds. */
  async take(ids: readonly string[], most: number): Promise<LeasedEndpoint[]> {
    if (ids.length === 0 || most <= 0) return [];
    return this.query(
      `UPDATE webhook_endpoint AS endpoint SET lease_owner = $2, leased_until = ${leasedUntil}
       FROM project, (
         SELECT id FROM webhook_endpoint
         WHERE id = ANY($1::uuid[]) AND enabled AND (leased_until IS NULL OR leased_until <= clock_timestamp())
         ORDER BY array_position($1::uuid[], id) LIMIT $3 FOR UPDATE SKIP LOCKED
       ) AS free
       WHERE endpoint.id = free.id AND project.id = endpoint.project_id
       RETURNING ${columns}`,
      ids,
      most,
    );
  }

  /** Renews leases. Returns the endpoints as they are now, without those that are disabled or gone, or that others hold. */
  async renew(ids: readonly string[]): Promise<LeasedEndpoint[]> {
    if (ids.length === 0) return [];
    return this.query(
      `UPDATE webhook_endpoint AS endpoint SET leased_until = ${leasedUntil}
       FROM project
       WHERE endpoint.id = ANY($1::uuid[]) AND endpoint.lease_owner = $2 AND endpoint.enabled AND project.id = endpoint.project_id
       RETURNING ${columns}`,
      ids,
    );
  }

  /** Gives leases up, so that others need not wait for them to expire. */
  async giveUp(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    await this.query(
      'UPDATE webhook_endpoint SET lease_owner = NULL, leased_until = NULL WHERE id = ANY($1::uuid[]) AND lease_owner = $2',
      ids,
    );
  }

  private async query(statement: string, ids: readonly string[], ...more: number[]): Promise<LeasedEndpoint[]> {
    const { rows } = await inTransaction(this.pool, (client) =>
      client.query<LeasedEndpoint>(statement, [ids, this.owner, ...more]),
    );
    return rows;
  }
}
