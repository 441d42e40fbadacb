import type { ClientBase } from 'pg';
import type { Database } from '../database/database';

/**
 * Events are numbered by a sequence as they are stored, and become visible with the commit of their transaction, in another order. So each
 * transaction that stores some holds an advisory lock until then, whose key is the number of the last event before its own, added to this
 * (2^62). The lock keeps nobody waiting: those who read find in it up to which number all events are visible, whatever any clock says.
 */
const firstKey = 4_611_686_018_427_387_904n;

/** Holds back events with higher numbers than those that the transaction of the client will store, until it ends. */
export async function announceStoring(client: ClientBase): Promise<void> {
  await client.query(`SELECT pg_advisory_xact_lock_shared(${firstKey} + last_value) FROM event_sequence_seq`);
}

/** Returns a number up to which no event will become visible any more: all others are. */
export async function readSettledNumber(database: Database): Promise<bigint> {
  // This comes first: who announces itself after the other statement gives higher numbers.
  const [last] = await database.$queryRaw<{ number: bigint }[]>`SELECT last_value AS number FROM event_sequence_seq`;
  if (last === undefined) throw new Error('the sequence of events has no value');
  const [settled] = await database.$queryRaw<{ number: bigint }[]>`
    SELECT least(${last.number}::bigint, min(key - ${firstKey}::bigint)) AS number
    FROM (SELECT classid::bigint << 32 | objid::bigint AS key FROM pg_locks
      WHERE locktype = 'advisory' AND objsubid = 1
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())) AS held
    WHERE key >= ${firstKey}::bigint`;
  if (settled === undefined) throw new Error('the locks of those who store events have no least key');
  return settled.number;
}
