import { largestPage, type OrganizationStreams, type SlotStore, streamMember } from '@multi-drm/slots';
import type { ClientBase } from 'pg';
import type { BoundedPool } from '../database/connection-pool';
import { inTransaction } from '../database/pool-transaction';
import { replacementsOf } from './anonymous-rows';
import { claimErasure, continueSoon, type Erasure } from './erasure-claims';

interface ErasuresOptions {
  pool: BoundedPool;
  slots: Pick<SlotStore, 'listSubject' | 'release' | 'remember'>;
  /** The streams of organizations name the viewer, too. */
  streams: Pick<OrganizationStreams, 'remove'>;
  /** Reads the time of Redis. */
  redisNow: () => Promise<Date>;
  /** Monotonic milliseconds. */
  monotonicNow: () => number;
  /** Called with the error of each pass that fails. */
  onFailed: (error: unknown) => void;
}

/** How many sessions are ended at a time. */
const sessionsAtOnce = 100;

/** How long an erasure may take before the others have their turn, in milliseconds. */
const turnMilliseconds = 5_000;

/** Ends the sessions of erased viewers, and replaces their subjects wherever one is stored. */
export class Erasures {
  private stopped = false;

  constructor(private readonly options: ErasuresOptions) {}

  /**
   * Runs the passes that are due. Any number of instances may run at the same time. One that fails keeps no other from running, and is
   * repeated. Rejects if Redis or PostgreSQL is unavailable.
   */
  async run(): Promise<void> {
    const { pool, redisNow, onFailed } = this.options;
    while (!this.stopped) {
      const now = await redisNow();
      const due = await inTransaction(pool, (client) => claimErasure(client, now));
      if (due === undefined) return;
      await this.pass(due).catch(onFailed);
    }
  }

  /** Has `run` resolve soon. What is under way is completed later, by any instance. */
  stop(): void {
    this.stopped = true;
  }

  private async pass(erasure: Erasure): Promise<void> {
    const { pool, monotonicNow } = this.options;
    const until = monotonicNow() + turnMilliseconds;
    for (const environmentId of erasure.environmentIds) await this.endSessions(environmentId, erasure);
    const isComplete = await this.replaceSubject(erasure, until);
    await inTransaction(pool, async (client) => {
      if (!isComplete) await continueSoon(client, erasure);
      else if (erasure.isLastPass) await client.query('DELETE FROM erasure WHERE id = $1::uuid', [erasure.id]);
    });
  }

  /** Resolves to whether nothing is left. `until`: when the turn ends. */
  private async replaceSubject(erasure: Erasure, until: number): Promise<boolean> {
    const { pool, monotonicNow } = this.options;
    for (const statement of replacementsOf(erasure)) {
      let replaced: number | null;
      do {
        replaced = await inTransaction(pool, async (client) => {
          // One viewer may have most of the rows, but these statements look for few of them at a time.
          await client.query('SET LOCAL enable_seqscan = off');
          return (await client.query(statement)).rowCount;
        });
        if (replaced !== 0 && (this.stopped || monotonicNow() >= until)) return false;
      } while (replaced !== 0);
    }
    return true;
  }

  private async endSessions(environmentId: string, erasure: Erasure): Promise<void> {
    const { pool, slots, streams } = this.options;
    const { subject, organizationId, sessionsUntil } = erasure;
    const { sessions } = await slots.listSubject(environmentId, subject, { limit: largestPage });
    const active = sessions.flatMap(({ sessionId, startedAt }) => (startedAt <= sessionsUntil ? [sessionId] : []));
    const stored = await inTransaction(pool, (client) => readOpenSessions(client, environmentId, erasure));
    const newer = new Set(sessions.map(({ sessionId }) => sessionId).filter((id) => !active.includes(id)));
    const ending = new Set([...active, ...stored.filter((id) => !newer.has(id))]);
    const ids = [...ending];
    const end = async (sessionId: string) => {
      const session = { environmentId, subject, sessionId };
      const outcome = await slots.release({ ...session, reservationId: null, reason: 'terminated' });
      // Redis has lost it: its token must not bring it back.
      if (outcome === 'unknown') await slots.remember(session, null);
    };
    for (let first = 0; first < ids.length; first += sessionsAtOnce) {
      await Promise.all(ids.slice(first, first + sessionsAtOnce).map(end));
    }
    const members = ids.map((sessionId) => streamMember({ environmentId, subject, sessionId }));
    await streams.remove(organizationId, members);
  }
}

/** The ids of the viewer's sessions that are stored as open. */
async function readOpenSessions(client: ClientBase, environmentId: string, erasure: Erasure): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>(
    `SELECT session_id AS id FROM session
     WHERE environment_id = $1::uuid AND subject = $2 AND started_at <= $3::timestamptz AND ended_at IS NULL`,
    [environmentId, erasure.subject, erasure.sessionsUntil],
  );
  return rows.map(({ id }) => id);
}
