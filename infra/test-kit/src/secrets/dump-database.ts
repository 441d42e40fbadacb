import { databaseNames, onConnection, withDatabase } from '@multi-drm/local/databases';
import { currentName, keep } from './kept-files';

// A table without a page never had a row, and a partitioned table has the rows of its partitions. Planning a query of all tables
// would take most of the time.
const tablesStatement = `
  SELECT format('%s.%I', relnamespace::regnamespace, relname) AS name FROM pg_class
  WHERE relnamespace NOT IN ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)
    AND NOT relispartition AND (relkind = 'p' OR (relkind = 'r' AND pg_relation_size(oid) > 0))`;

/** Keeps every row of a database for the search at the end of the run. */
export async function keepDatabase(url: string): Promise<void> {
  keep('databases', `${currentName()}-${new URL(url).pathname.slice(1)}`, await dumpDatabase(url));
}

/** Returns every row of a database: one line each, with table and JSON. */
export async function dumpDatabase(url: string): Promise<string> {
  const found = await onConnection(url, async (client) => {
    const { rows: tables } = await client.query<{ name: string }>(tablesStatement);
    const rows = tables.map(({ name }) => `SELECT '${name}' AS name, row_to_json(t)::text AS row FROM ${name} t`);
    return rows.length === 0 ? [] : (await client.query<Row>(rows.join(' UNION ALL '))).rows;
  });
  return found.map(({ name, row }) => `${name}\t${row}\n`).join('');
}

/** Keeps every database whose name starts with the prefix: those that suites did not drop. */
export async function keepDatabases(serverUrl: string, prefix: string): Promise<void> {
  for (const name of await databaseNames(serverUrl, prefix)) await keepDatabase(withDatabase(serverUrl, name));
}

interface Row {
  name: string;
  row: string;
}
