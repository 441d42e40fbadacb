import { randomUUID } from 'node:crypto';
import type { ClientBase } from 'pg';
import type { BoundedPool } from '../database/connection-pool';
import { inTransaction } from '../database/pool-transaction';
import { findPlan, nearLimitFrom } from '../plans/plans';
import type { EventType } from './event-rows';

/** The class of the advisory locks of organizations whose streams are near or at their limit. */
const lockClass = 1_819_308_396;

interface StreamLimitEventsOptions {
  pool: BoundedPool;
  /** Counts the streams of an organization. */
  countStreams: (organizationId: string) => Promise<number>;
}

interface Organization {
  id: string;
  planId: string;
}

/**
 * Announces that an organization has at least 80 percent, or all, of the streams that its plan allows: each at most once an hour, however many
 * instances run. Only starts raise the number of streams, so an instance looks at the organizations whose starts it has stored, and at
 * those that were near their limit when it last looked.
 */
export class StreamLimitEvents {
  private startedIn = new Set<string>();
  /** Looked at again: playback counts a stream just after it has reported the start. */
  private lookedAt = new Set<string>();
  private near: string[] = [];

  constructor(private readonly options: StreamLimitEventsOptions) {}

  /** Notes the environments of sessions that have started. */
  noteStarts(environmentIds: Iterable<string>): void {
    for (const id of environmentIds) this.startedIn.add(id);
  }

  /** Rejects if Redis or PostgreSQL is unavailable; what was noted is looked at then. */
  async announce(): Promise<void> {
    const started = this.startedIn;
    this.startedIn = new Set();
    try {
      const near: string[] = [];
      for (const organization of await this.organizationsOf([...started, ...this.lookedAt])) {
        if (await this.addEventsOf(organization)) near.push(organization.id);
      }
      this.near = near;
      this.lookedAt = started;
    } catch (error) {
      this.noteStarts(started);
      throw error;
    }
  }

  /** The organizations of environments, and those that were near their limit. */
  private async organizationsOf(environmentIds: string[]): Promise<Organization[]> {
    if (environmentIds.length === 0 && this.near.length === 0) return [];
    return inTransaction(this.options.pool, async (client) => {
      const { rows } = await client.query<Organization>(
        `SELECT id, plan_id AS "planId" FROM organization WHERE id = ANY($1::uuid[]) OR id IN (
           SELECT organization_id FROM environment JOIN project ON project.id = project_id WHERE environment.id = ANY($2::uuid[])
         )`,
        [this.near, environmentIds],
      );
      return rows;
    });
  }

  /** Resolves to whether the organization is near its limit. */
  private async addEventsOf({ id, planId }: Organization): Promise<boolean> {
    const limit = findPlan(planId)?.limits.concurrentStreams ?? null;
    if (limit === null) return false;
    const streams = await this.options.countStreams(id);
    if (streams < limit * nearLimitFrom) return false;
    const data = { plan: planId, limit, streams };
    await inTransaction(this.options.pool, async (client) => {
      const lock = 'SELECT pg_try_advisory_xact_lock($1, hashtext($2)) AS taken';
      const { rows } = await client.query<{ taken: boolean }>(lock, [lockClass, id]);
      if (!rows[0]?.taken) return; // another instance is adding it
      await addUnlessAnnounced(client, 'organization.streams_near_limit', id, data);
      if (streams >= limit) await addUnlessAnnounced(client, 'organization.streams_at_limit', id, data);
    });
    return true;
  }
}

/** Adds an event of the organization, unless there is one of this type within the last hour. */
async function addUnlessAnnounced(
  client: ClientBase,
  type: EventType,
  organizationId: string,
  data: object,
): Promise<void> {
  await client.query(
    `INSERT INTO event_outbox (id, type, scope_id, data) SELECT $1::uuid, $2, $3::uuid, $4::jsonb
     WHERE NOT EXISTS (SELECT FROM event_outbox WHERE type = $2 AND scope_id = $3::uuid AND time > now() - interval '1 hour')
       AND NOT EXISTS (SELECT FROM event WHERE type = $2 AND scope_id = $3::uuid AND time > now() - interval '1 hour')`,
    [randomUUID(), type, organizationId, JSON.stringify(data)],
  );
}
