import { type ClientBase, escapeIdentifier } from 'pg';

/** The tables that are partitioned by day. */
export type PartitionedTable = 'event' | 'session' | 'webhook_delivery';

export const partitionedTables: readonly PartitionedTable[] = ['event', 'session', 'webhook_delivery'];

/** Of how many days before today a new database has partitions. The longest session lasts a day. */
const daysBefore = 1;
/** Of how many days after today there are partitions. */
export const partitionDaysAhead = 7;

/** The advisory lock under which partitions are added. */
const lockId = 1_702_259_570;

interface Partition {
  /** Such as `20261130`, in UTC. */
  day: string;
  state: 'attached' | 'detaching' | 'detached';
}

/** Returns the days that have a partition to which rows can be added, such as `20261130`. */
export async function partitionDays(client: ClientBase, table: PartitionedTable): Promise<Set<string>> {
  const partitions = await partitionsOf(client, table);
  return new Set(partitions.flatMap(({ day, state }) => (state === 'attached' ? [day] : [])));
}

/** Returns all partitions of a table, and tables that were partitions, the oldest first. `table`: a name as in SQL. */
async function partitionsOf(client: ClientBase, table: string): Promise<Partition[]> {
  const { rows } = await client.query<Partition>(
    `SELECT right(child.relname, 8) AS day,
       CASE WHEN inherits IS NULL THEN 'detached' WHEN inherits.inhdetachpending THEN 'detaching' ELSE 'attached' END AS state
     FROM pg_class AS parent
     JOIN pg_class AS child ON child.relnamespace = parent.relnamespace AND child.relkind = 'r'
       AND child.relname ~ ('^' || parent.relname || '_[0-9]{8}$')
     LEFT JOIN pg_inherits AS inherits ON inherits.inhrelid = child.oid AND inherits.inhparent = parent.oid
     WHERE parent.oid = $1::regclass
     ORDER BY day`,
    [table],
  );
  return rows;
}

/**
 * Adds the partitions that are missing from yesterday to some days ahead, in the transaction of the client. A partition is
 * created by itself and then attached: that does not wait for statements that read the table, nor they for it.
 */
export async function addPartitions(client: ClientBase, daysAhead = partitionDaysAhead): Promise<void> {
  await client.query('SELECT pg_advisory_xact_lock($1)', [lockId]);
  const wanted = await daysAround(client, daysAhead);
  for (const table of partitionedTables) {
    const present = new Set((await partitionsOf(client, table)).map(({ day }) => day));
    // Every event that is stored can be replayed.
    const former = table === 'webhook_delivery' ? [...(await partitionDays(client, 'event'))].map(dayNamed) : [];
    for (const { day, from, to } of [...wanted, ...former]) {
      if (present.has(day)) continue;
      present.add(day);
      await client.query(`CREATE TABLE "${table}_${day}" (LIKE "${table}" INCLUDING ALL);
        ALTER TABLE "${table}" ATTACH PARTITION "${table}_${day}" FOR VALUES FROM ('${from}') TO ('${to}')`);
    }
  }
}

/**
 * Removes the partitions of days before a number of days ago, so that reading and writing the table never waits for it. That takes
 * statements that PostgreSQL runs in no transaction: `client` is a connection of its own. What was interrupted is finished the next time,
 * also by another process at the same moment, for which one of them may reject.
 */
export async function removePartitions(
  client: ClientBase,
  schema: string,
  table: PartitionedTable,
  keptDays: number,
): Promise<void> {
  // With the schema, because nothing is set on a connection, which may be that of a pooler.
  const named = (name: string) => `${escapeIdentifier(schema)}.${escapeIdentifier(name)}`;
  const parent = named(table);
  const { rows } = await client.query<{ day: string }>(
    `SELECT to_char((clock_timestamp() AT TIME ZONE 'UTC')::date - $1::int, 'YYYYMMDD') AS day`,
    [keptDays],
  );
  const firstKept = rows[0]?.day ?? '';
  for (const { day, state } of await partitionsOf(client, parent)) {
    if (day >= firstKept) return;
    const partition = named(`${table}_${day}`);
    if (state === 'attached') await client.query(`ALTER TABLE ${parent} DETACH PARTITION ${partition} CONCURRENTLY`);
    if (state === 'detaching') await client.query(`ALTER TABLE ${parent} DETACH PARTITION ${partition} FINALIZE`);
    await client.query(`DROP TABLE IF EXISTS ${partition}`);
  }
}

/** Returns for how many days from today on, without a gap, all tables have partitions. */
export async function partitionDaysLeft(client: ClientBase): Promise<number> {
  const days: Set<string>[] = [];
  for (const table of partitionedTables) days.push(await partitionDays(client, table));
  const wanted = (await daysAround(client, 2 * partitionDaysAhead)).slice(daysBefore);
  const missing = wanted.findIndex(({ day }) => !days.every((present) => present.has(day)));
  return missing === -1 ? wanted.length : missing;
}

interface Day {
  /** Such as `20261130`. */
  day: string;
  /** When it begins and ends, in ISO 8601. */
  from: string;
  to: string;
}

/** `name`: such as `20261130`. */
function dayNamed(name: string): Day {
  const from = `${name.slice(0, 4)}-${name.slice(4, 6)}-${name.slice(6)}T00:00:00Z`;
  return { day: name, from, to: new Date(Date.parse(from) + 86_400_000).toISOString() };
}

/** By the clock of the database. */
async function daysAround(client: ClientBase, daysAhead: number): Promise<Day[]> {
  const { rows } = await client.query<Day>(
    `SELECT to_char(day, 'YYYYMMDD') AS day, to_char(day, 'YYYY-MM-DD"T00:00:00Z"') AS from,
       to_char(day + interval '1 day', 'YYYY-MM-DD"T00:00:00Z"') AS to
     FROM generate_series(-$1::int, $2::int) AS distance,
       LATERAL (SELECT (clock_timestamp() AT TIME ZONE 'UTC')::date + distance AS day) AS days`,
    [daysBefore, daysAhead],
  );
  return rows;
}
