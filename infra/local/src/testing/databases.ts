import { Client } from 'pg';

/** The connection string of another database on the same server. */
export function withDatabase(serverUrl: string, database: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${database}`;
  return url.href;
}

/** Runs one statement on a connection of its own. */
export async function runOnDatabase<Row extends object>(
  url: string,
  statement: string,
  values: string[] = [],
): Promise<Row[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(statement, values)).rows;
  } finally {
    await client.end();
  }
}

/** Drops every database whose name begins so, connected or not. */
export async function dropDatabases(serverUrl: string, prefix: string): Promise<void> {
  const statement = 'SELECT datname FROM pg_database WHERE starts_with(datname, $1)';
  for (const { datname } of await runOnDatabase<{ datname: string }>(serverUrl, statement, [prefix])) {
    await runOnDatabase(serverUrl, `DROP DATABASE IF EXISTS "${datname}" WITH (FORCE)`);
  }
}
