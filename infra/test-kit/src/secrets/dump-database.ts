import { databaseNames, runOnDatabase, withDatabase } from '@multi-drm/local/databases';
import { currentName, keep } from './kept-files';

const tablesStatement = `
  SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
  WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`;

/** Keeps every row of a database for the search at the end of the run. */
export async function keepDatabase(url: string): Promise<void> {
  keep('databases', `${currentName()}-${new URL(url).pathname.slice(1)}`, await dumpDatabase(url));
}

/** Returns every row of a database: one line each, with table and JSON. */
export async function dumpDatabase(url: string): Promise<string> {
  const tables = await runOnDatabase<{ name: string }>(url, tablesStatement);
  const rows = tables.map(({ name }) => `SELECT '${name}' AS name, row_to_json(t)::text AS row FROM ${name} t`);
  const found = rows.length === 0 ? [] : await runOnDatabase<Row>(url, rows.join(' UNION ALL '));
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
