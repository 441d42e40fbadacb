import { hash } from 'node:crypto';
import type { ClientBase } from 'pg';
import { type Column, insertRows } from './bulk-rows';
import type { Entry, SetAsideReason } from './parsed-entries';

/** An entry that cannot be stored. */
export interface Refused {
  entry: Entry;
  reason: SetAsideReason;
}

/** How much of an entry is kept. */
const maximumBytes = 8 * 1024;

const columns: Column<Refused>[] = [
  { name: 'digest', type: 'bytea', value: ({ entry }) => `\\x${hash('sha256', entry.bytes, 'hex')}` },
  { name: 'list', type: 'text', value: ({ entry }) => entry.list.key },
  { name: 'entry', type: 'bytea', value: ({ entry }) => `\\x${entry.bytes.subarray(0, maximumBytes).toString('hex')}` },
  { name: 'size', type: 'integer', value: ({ entry }) => entry.bytes.length },
  { name: 'reason', type: 'text', value: ({ reason }) => reason },
];

/** Keeps entries that cannot be stored, equal ones once. Returns how many are new. */
export async function setAside(client: ClientBase, refused: readonly Refused[]): Promise<number> {
  if (refused.length === 0) return 0;
  const kept = await insertRows(client, 'event_set_aside', columns, refused, "encode(digest, 'hex')");
  // An entry that has no known form names its environment in this form, too.
  await client.query(
    `UPDATE event_set_aside SET named_ids = ARRAY(
       SELECT DISTINCT found[1]::uuid
       FROM regexp_matches(encode(entry, 'escape'), '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'g') AS found)
     WHERE digest IN (SELECT decode(value, 'hex') FROM unnest($1::text[]) AS value)`,
    [[...kept]],
  );
  return kept.size;
}

/** The reason why PostgreSQL refuses rows for what they contain; undefined if the error has another cause. */
export function refusalOf(error: unknown): SetAsideReason | undefined {
  const state = error instanceof Error && 'code' in error ? String(error.code) : '';
  // `check_violation` is also that of a row without a partition.
  if (state === '23514') return 'outside-partitions';
  // Data exceptions, violated constraints, and limits of a row in an index (PostgreSQL, appendix A).
  return /^(22|23|54)/.test(state) ? 'refused-by-database' : undefined;
}
